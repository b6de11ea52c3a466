"""What somebody does again and again, and many notes on ways to do it, written by hand.

In a way, what stands between asterisks is a detail that no other way of the pastime has.
"""

from __future__ import annotations

import re

import attrs


@attrs.frozen
class Way:
    """One way to do it. cue: words of the text that tell it from the others."""

    text: str
    cue: str


@attrs.frozen
class Pastime:
    """A request that is made again and again, with many notes that have its words.

    note: a note with a way {v}. question: the request at last. before: how it was made earlier. which: asks for the way
    with a detail {cue}. often: another note, used for `often_before`. rare: a note like `often` on something else, which was
    never used; it answers `rarely`.
    """

    note: str
    question: str
    before: tuple[str, str, str]
    which: str
    often: str
    often_before: tuple[str, str]
    rare: str
    rarely: str
    ways: tuple[Way, ...]


def _ways(written: str) -> tuple[Way, ...]:
    ways = [way.strip() for way in re.split("[|\n]", written.strip())]
    return tuple(Way(way.replace("*", ""), way.split("*")[1]) for way in ways)


PASTIMES = (
    Pastime(
        note="Pancake recipe: {v}.",
        question="Which pancake recipe should I make on Sunday?",
        before=(
            "What shall I put in the batter today?",
            "The kids want crepes, any idea?",
            "Something sweet from the pan, please.",
        ),
        which="Which pancake recipe is the one with {cue}?",
        often="The pancake pan hangs behind the kitchen door.",
        often_before=("Where did the flat pan go?", "I cannot find the pan for crepes."),
        rare="The pancake pan with the lid hangs behind the cellar door.",
        rarely="Which pan hangs behind the cellar door?",
        ways=_ways("""
            *buckwheat* flour, honey and a pinch of salt | grated *apple* and cinnamon
            *ricotta*, lemon zest and four eggs | two cups of *buttermilk*, baked thick
            mashed *banana* and oats, without sugar | *sparkling water* in the batter, very thin
            *coconut* milk and brown sugar | *rye* flour with caraway, for savoury fillings
            *pumpkin* puree and ginger | yoghurt, *blueberries* and a spoon of oil
            *spinach* in the batter and feta inside | *chestnut* flour, as in the mountains
            beaten *egg whites* folded in at the end | *cocoa* and sour cherries
            *potato*, onion and nutmeg, fried in butter | *semolina* soaked overnight
        """),
    ),
    Pastime(
        note="Walk with the dog: {v}.",
        question="Where should I go for a walk with the dog?",
        before=(
            "He needs to run, any idea which way?",
            "We have an hour before it gets dark.",
            "A round outside with Bruno, please.",
        ),
        which="Which walk with the dog leads past the {cue}?",
        often="The leash of the dog lies in the boot of the car.",
        often_before=("What did I do with the lead?", "Where is his lead again?"),
        rare="The blanket of the dog lies in the back of the car, under the net.",
        rarely="Where in the car does the blanket of the dog lie?",
        ways=_ways("""
            along the canal to the *lock* and back | up to the *water tower*, then through the fields
            round the *quarry*, an hour and a half | past the *brewery* and over the footbridge
            the river path as far as the *weir* | through the *cemetery*, quiet in the morning
            from the tram depot to the *allotments* | the forest loop by the *fox den*
            down to the *boathouse*, muddy after rain | the old railway embankment up to the *signal box*
            the hill with the *gallows*, steep but short | the *orchard* lane, no cars at all
            across the common to the *windmill* | behind the *stadium*, lit until ten
            the reed beds with the *bird hide* | *kennels*, bakery, home
        """),
    ),
    Pastime(
        note="Restaurant for a dinner with clients: {v}.",
        question="Which restaurant should I book for the dinner with clients?",
        before=(
            "Some people from abroad want to eat out with us.",
            "Where could we take the buyers tonight?",
            "A table for six after the workshop, please.",
        ),
        which="Which restaurant for a dinner with clients has a {cue}?",
        often="Dinner with clients is paid with the blue card, limit two hundred.",
        often_before=("How do I pay when I invite guests?", "Which account is charged for hospitality?"),
        rare="Lunch with clients is paid with the green card, limit fifty.",
        rarely="With which card is lunch with clients paid?",
        ways=_ways("""
            Da Renzo, with a *terrace* over the square | the Golden Carp, *fish tank* in the hall, loud
            Chez Odette, a quiet *back room* for ten | Kuromatsu, *sushi counter*, needs a week's notice
            the Old Mint, *vaulted cellar* | Ziya, *charcoal grill*, good for vegetarians as well
            the Harbour Light, *panorama window* | Petrossian, a *wine list* of forty pages
            Mama Afrika, *stew pots* on the table, eat with your hands | the Station Buffet, *dining car* of 1928
            Hirsch, *tiled stove* and game in autumn | Saffron, a *tasting menu* of seven courses
            the Botanist, in a *greenhouse*, closed on Mondays | Casa Lima, *pisco bar* at the entrance
            the Lock Keeper, *jetty* for boats | Blau, open *show kitchen*, one star
        """),
    ),
    Pastime(
        note="Stretching exercise against the stiff neck: {v}.",
        question="Which exercise should I do against the stiff neck?",
        before=(
            "My shoulders are tight again from typing.",
            "I need five minutes away from the desk.",
            "It pulls when I turn my head.",
        ),
        which="Which exercise against the stiff neck needs a {cue}?",
        often="The exercise mat is rolled up under the bed in the spare room.",
        often_before=("Where did I put the yoga thing?", "What lies under the guest bed?"),
        rare="The sleeping bag is rolled up under the bench in the spare room.",
        rarely="What is rolled up under the bench in the spare room?",
        ways=_ways("""
            roll a *tennis ball* between wall and shoulder blade | pull a *towel* apart behind the head, ten times
            hang from the *door bar* for half a minute | chin to chest while sitting on a *stool*
            lie on a *foam roller*, arms wide | row with the *rubber band*, slowly
            hold a *broomstick* and lean to each side | press the palms against the *door frame*
            circle the arms with a *water bottle* in each hand | rest the forehead on a *cushion* and breathe out
            turn the head against a *scarf* | shrug with a *kettlebell*, three sets
            kneel and slide both hands along a *bench* | balance a *book* on the head and walk
            tuck the chin, elbows on an *armchair* | swing in the *hammock*, no effort at all
        """),
    ),
    Pastime(
        note="Bedtime story for Lotte: {v}.",
        question="Which bedtime story shall I read to Lotte?",
        before=(
            "She cannot fall asleep, what now?",
            "It is eight, the little one is in her pyjamas.",
            "Something short before lights out, please.",
        ),
        which="Which bedtime story for Lotte is about a {cue}?",
        often="Bedtime for Lotte is half past seven on school days.",
        often_before=("When must she be under the covers?", "How late may the little one stay up?"),
        rare="Bedtime for Lotte is half past eight in the holidays.",
        rarely="When is bedtime for Lotte in the holidays?",
        ways=_ways("""
            the *hedgehog* who lost a mitten | the lighthouse and the shy *whale*
            how the *tortoise* won a bicycle | a *dragon* with hay fever, twelve pages
            the night train full of *penguins*, with flaps | the *baker* who baked a moon
            three brothers and a *bear* in the attic | the *snail* that went to school
            a *pirate* afraid of water | the *owl* who slept at night, very calm
            the princess and her *tractor* | the *cloud* that would not rain
            a *goose* called Henriette, rhymed | the *robot* in the vegetable patch
            the *mole* who wanted to see stars | the last *dinosaur* of our street
        """),
    ),
    Pastime(
        note="Playlist for work: {v}.",
        question="Which playlist should I put on for work?",
        before=(
            "I have to concentrate for two hours.",
            "Some music while I sort the invoices.",
            "The open-plan office is loud again.",
        ),
        which="Which playlist for work has {cue}?",
        often="The headphones for work are charged on the shelf by the printer.",
        often_before=("Where did I leave my earphones?", "I need something over my ears for a call."),
        rare="The microphone for work is charged on the shelf in the corridor.",
        rarely="Where is the microphone for work charged?",
        ways=_ways("""
            *cello* suites, two hours and ten minutes | slow *house* without vocals
            *rain* on a tent, endless | *piano* by candlelight
            *film scores* of the nineties | Malian *guitar* and calabash
            *Gregorian* chant, very even | *synthesizers* from Berlin, seven hours
            *bossa nova* in the shade | *choir* music from Estonia
            *harp* and flute, forty minutes | *dub* with long echoes
            *baroque* trumpet concertos, for mornings | *brown noise*
            *vibraphone* jazz, live in Oslo | *video game* tunes, quick ones
        """),
    ),
    Pastime(
        note="Weekend trip with the children by train: {v}.",
        question="Which weekend trip should we make with the children by train?",
        before=(
            "What could we do on Saturday, all five of us?",
            "The kids are bored at home.",
            "An outing that needs no car, please.",
        ),
        which="Which weekend trip with the children by train goes to the {cue}?",
        often="The train card for the children is in the drawer with the passports.",
        often_before=("Where do we keep the family rail pass?", "Which drawer has the tickets?"),
        rare="The library card for the children is in the drawer with the batteries.",
        rarely="In which drawer is the library card for the children?",
        ways=_ways("""
            *salt mine* at Hallein, warm jackets needed | the *seal station* on the coast
            *open-air museum* with the potter | the *cable car* to the plateau, picnic at the top
            *planetarium*, afternoon show only | *raft* building at the lake
            the *toy museum*, small but free on Sundays | *cheese dairy* and the cow trail
            *swimming hall* with the four slides | the *castle* where you may try on armour
            the *wildlife park*, lynx at three o'clock | *strawberry fields*, June only
            *tram depot* with the model town | the *stalactite cave*, ninety steps
            the *chocolate factory*, book ahead | *puppet theatre* behind the cathedral
        """),
    ),
    Pastime(
        note="Way to take the coffee stain out of a shirt: {v}.",
        question="How do I take the coffee stain out of a shirt?",
        before=(
            "I spilled my cup over my sleeve.",
            "There is a brown spot on my collar.",
            "Help, a latte went all over me.",
        ),
        which="How do I take the coffee stain out of a shirt with {cue}?",
        often="The shirt for the opera needs cufflinks, they are in the tin.",
        often_before=("What do I wear on the first night?", "Where are the silver buttons?"),
        rare="The shirt for the rowing club needs buttons, they are in the basket.",
        rarely="What does the shirt for the rowing club need?",
        ways=_ways("""
            *vinegar* and water, half and half | *gall soap*, leave it on for an hour
            *baking soda* paste, brush off when dry | *glycerine* before washing, for wool too
            *mineral water* at once, then dab | *lemon juice* in the sun
            *egg yolk* and lukewarm water | *washing-up liquid*, only a drop
            *salt*, plenty, while it is still wet | *borax*, gloves on
            *shaving foam*, rub in and rinse | *denture tablets* in a bowl overnight
            *alcohol* from the pharmacy, test on the seam first | *potato water*, grandmother swore by it
            *oxygen bleach* at forty degrees | *toothpaste*, white shirts only
        """),
    ),
    Pastime(
        note="Electrician for the house: {v}.",
        question="Which electrician should I call for the house?",
        before=(
            "The fuse in the cellar blows every evening.",
            "A socket is sparking.",
            "Somebody has to look at the wiring.",
        ),
        which="Which electrician for the house {cue}?",
        often="The electric meter of the house is behind the panel in the hall, number 20417.",
        often_before=("I have to send in the reading of our consumption.", "What is our number at the power company?"),
        rare="The water meter of the house is behind the shelf in the cellar, number 883.",
        rarely="What is the number of the water meter of the house?",
        ways=_ways("""
            Brandl, *comes at night* too | Ostrowski & Son, *speaks Polish*
            Fenwick, cheap but *never on time* | Lumen Ltd, *sends two men*
            Aydin, *wired the sauna* | Kessler, who *wants cash*
            the neighbour's nephew, *not certified* yet | Volta Service, *charges by the quarter*
            Mrs Paredes, *knows old buildings* | Hertz Brothers, *answers mails only*
            Sund, *insured* up to a million | Blitz, *advertises on the bus*
            Marek, *fixed the doorbell* in ten minutes | Tesla & Partner, *does solar roofs*
            Grünwald, *retired* but still helps | Ampere, *closed in August*
        """),
    ),
    Pastime(
        note="Present for a colleague who leaves: {v}.",
        question="Which present should we give to a colleague who leaves?",
        before=(
            "Somebody says goodbye on Friday, what do we buy?",
            "We collected ninety euros, any idea?",
            "The farewell of the team lead is coming up.",
        ),
        which="Which present for a colleague who leaves is from the {cue}?",
        often="The colleague who collects for every present is Ruth, second floor.",
        often_before=("Who takes the money for birthdays?", "Whom do I give my ten euros?"),
        rare="The colleague who wraps every present is Timo, third floor.",
        rarely="Which colleague wraps every present?",
        ways=_ways("""
            a bonsai from the *nursery* | a framed map from the *antiquarian*, with pins
            a *spa* voucher for two | fountain pen, engraved, from the *stationer*
            a basket from the *delicatessen* | a photo book, printed at the *drugstore*
            theatre tickets from the *box office* | a *pottery* course, six evenings
            the good umbrella from the *department store* | a hammock from the *outdoor shop*
            two bottles from the *winegrower* | a watch chain from the *flea market*
            a telescope from the *optician*, needs everybody's money | a kite from the *toyshop* by the bridge
            an apron, sewn at the *tailor's* | a year of flowers from the *florist*
        """),
    ),
    Pastime(
        note="Hotel in Vienna: {v}.",
        question="Which hotel in Vienna should I book?",
        before=(
            "I have to be at the headquarters for two nights.",
            "A room near the fair in May, please.",
            "The conference in Austria was confirmed.",
        ),
        which="Which hotel in Vienna has {cue}?",
        often="From the airport in Vienna take the S7, not the express.",
        often_before=("How do I get into town after landing?", "Is there a cheap ride from the terminal?"),
        rare="From the airport in Graz take the bus, not the taxi.",
        rarely="What should I take from the airport in Graz?",
        ways=_ways("""
            Anker, with *bicycles* for guests | Zur Linde, a *courtyard* full of geraniums
            Kaiserin, *four-poster beds*, dear | Pension Suzette, *creaking stairs*, cosy
            the Capsule, *no windows* | Danube Inn, *river view* from the fifth floor up
            Prater House, *noise* from the rides until midnight | Mozart, a *piano* in the lobby
            Karlsplatz, *late check-out* at two | the Monastery, *thick walls* and silence
            Westbahn, *parking* in the yard | Josef, a *breakfast* until noon
            Park Royal, a *sauna* on the roof | Nest, *bunk beds*, cheap
            Secession, *paintings* in every room | Tivoli, a *garden* with turtles
        """),
    ),
    Pastime(
        note="Opening line for a letter to customers: {v}.",
        question="Which opening line should the letter to customers have?",
        before=(
            "How do I begin the mailing this quarter?",
            "I need a first sentence that is not stiff.",
            "The newsletter goes out tomorrow and it has no start.",
        ),
        which="Which opening line for a letter to customers mentions the {cue}?",
        often="Every letter to customers is signed by Mrs Falk and the head of sales.",
        often_before=("Whose names go at the bottom?", "Who has to sign the mailing?"),
        rare="Every offer to customers is signed by Mr Dorn and the head of purchasing.",
        rarely="Who signs an offer to customers?",
        ways=_ways("""
            the *swallows* are back, and so are we | you asked for *honesty*, here it is
            a year has gone by since the *fire* | have you looked at your *roof* lately
            thank you for your *patience* | *coffee* first, then the news
            our smallest *machine* has a birthday | nobody likes *price* changes, we neither
            when the *phone* rang last Tuesday, it was one of you | *ten minutes* of your time, no more
            between the *holidays* there is room for a thought | we have *moved*, though only across the street
            some of you wrote about the *packaging* | *snow* in April, and the vans still ran
            there is a new *voice* on our hotline | what do a *harbour* and a warehouse have in common
        """),
    ),
)
