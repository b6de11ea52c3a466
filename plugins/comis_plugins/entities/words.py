"""Words that are written with a capital and still name nothing in particular."""

from __future__ import annotations

import functools

from comis_core.text import fold_name
from comis_core.text.stops import FUNCTION_WORDS, QUESTION_WORDS

_DATES = """
january february march april may june july august september october november december jan feb mar apr jun jul aug sep
sept oct nov dec monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun
mondays tuesdays wednesdays thursdays fridays saturdays sundays today yesterday tomorrow tonight spring summer autumn
winter fall am pm ad bc bce ce januar februar märz mai juni juli oktober dezember montag dienstag mittwoch donnerstag
freitag samstag sonnabend sonntag frühling sommer herbst janvier février mars avril juin juillet août septembre
octobre novembre décembre lundi mardi mercredi jeudi vendredi samedi dimanche enero febrero marzo abril mayo junio
julio agosto septiembre setiembre octubre noviembre diciembre lunes martes miércoles jueves viernes sábado domingo
janeiro fevereiro março maio junho julho setembro outubro novembro dezembro segunda terça quarta quinta sexta gennaio
febbraio aprile maggio giugno luglio settembre ottobre dicembre lunedì martedì mercoledì giovedì venerdì sabato
domenica januari februari maart mei augustus maandag dinsdag woensdag donderdag vrijdag zaterdag zondag январь января
январе февраль февраля феврале март марта марте апрель апреля апреле май мая мае июнь июня июне июль июля июле август
августа августе сентябрь сентября сентябре октябрь октября октябре ноябрь ноября ноябре декабрь декабря декабре
понедельник вторник среда среду четверг пятница пятницу суббота субботу воскресенье сегодня вчера завтра
"""

_AROUND_DATES = """
last next this early late mid every each past since until on in the of morning evening night afternoon de del di do da
"""

_NAMES_TOO = """
ben dan al mina dina sina mia mai uma elle les des lei lui han sen min lo noel ella ali elli tina
"""
"""Function words of one language that are given names in others."""

_LEADING = """
yesterday today tomorrow tonight no not never none nobody nothing neither nor before after since until till while when
whenever where wherever what whatever which who whom whose why how however although though despite unless whether once
if because yes yeah yep yup nope nah ok okay sure right fine well alright absolutely definitely exactly totally
certainly indeed agreed correct maybe perhaps probably possibly hopefully honestly seriously actually basically
literally really truly clearly obviously apparently unfortunately fortunately luckily sadly thankfully interestingly
surprisingly suddenly finally eventually lately recently currently previously originally initially usually normally
generally typically often sometimes always rarely soon later earlier now nowadays already still yet again anyway
anyhow meanwhile instead otherwise therefore thus hence moreover furthermore additionally besides similarly likewise
especially particularly specifically firstly secondly lastly then also plus even only almost formerly nearly together
apart during against toward towards behind beside without within among between hi hey hello hiya howdy greetings
welcome bye goodbye goodnight cheers thanks thank thx ty please sorry pardon excuse congrats congratulations bravo
kudos wow whoa woah oh ooh ah aha aw aww awww ugh hmm hm mmm haha hahaha lol omg gosh yay yikes oops oof ouch phew
geez jeez yo hurray hooray woohoo yea yeh mm mhm uh um er eh hah dear let lets got getting gave given took taken made
making went gone came comes coming saw seen seeing looks looked looking sounds sounded feels felt feeling seem seems
seemed kept think thinks thought thinking know knows knew known guess believe hopes hoped wishes wished wanted needs
needed needing liked loved loving enjoy enjoys enjoyed enjoying hated prefer prefers preferred tries tried trying
started starting stopped stopping using used worked working played playing lived living moved moving ran running
walked walking reading wrote written writing say says said saying tell tells told telling talked talking speaks spoke
speaking ask asks asked asking called calling finds found finding buys bought buying sold paid brings brought shows
showed shown helped helping learned learning taught remember remembers remembered forget forgot checked checking
watched watching heard meets met meeting sends sent added removed changed created built updated fixed turned followed
consider considering includes included including based according due depends stays stayed staying leaves waited
waiting ate eating cooked cooking slept sleeping spent visited joined planned planning decided switched replaced
deploys wants evaluating debating being having doing get give take make go come see look sound feel keep hope wish
want need like likes love loves hate hates try start starts stop stops use uses work works play plays live lives move
moves run runs walk read reads write writes talk speak answer answers call calls find put puts buy sell pay pays bring
show help learn teach check watch hear meet send set sets add adds remove change changes create build builds update
fix turn turns follow follows include stay leave wait eat drink drinks cook cooks sleep spend celebrate visit visits
join joins plan plans awesome amazing fantastic wonderful excellent incredible impressive interesting exciting
"""
"""Words that open a sentence and are no part of a name that follows them: Hey Ana, Recently Ana."""

_COMMON = """
good great nice cool lovely beautiful gorgeous perfect brilliant fun funny cute sweet bad terrible awful horrible sad
happy glad proud grateful excited thrilled thankful lucky busy tired sick easy hard difficult simple important better
best worse worst new old big small little long short high low early late young full empty free open close ready able
possible impossible different same similar various several many much more most few less least enough other others
another each every any true false overall first second third last next apart away back down up off over under out
around along across through all both either some such one two three four five six seven eight nine ten dozens hundreds
thousands lots plenty half throughout above below near inside outside per via only deep failed anyone everyone someone
somebody anybody everybody anything everything something nowhere everywhere somewhere whoever people person persons
man men woman women guy guys kid kids child children baby family families friend friends mom mum mommy dad daddy
mother father parents grandma grandpa brother sister son daughter wife husband boss team group user users assistant
customer customers client clients student students teacher doctor time times day days night nights morning mornings
afternoon evening week weeks weekend weekends month months year years hour hours minute minutes moment life world home
house place places thing things stuff way ways part parts lot bit kind kinds sort type types idea ideas question
questions problem problems issue issues reason reasons point example examples fact facts case cases result results
number name names word words story stories news information data details note notes list summary title chapter section
page step steps item items option options version file files code error errors warning warnings message messages test
tests task tasks project projects job jobs school music book books movie movies game games food water coffee tea lunch
dinner breakfast money car cars dog dogs cat cats photo photos picture pictures video videos art nature health sports
exercise travel weather birthday meetings todo faq fyi btw asap imo imho tbh idk aka eg ie etc vs ps nb re fwd cc rsvp
eta diy qa id url
"""
"""Words that open a sentence and name nothing when they stand alone; before another capital they may be part of a name:
New York, Good Omens."""

_THINGS = """
paper printer ink toner computer laptop keyboard screen mouse phone phones charger battery batteries cable cables
camera printers radio television internet wifi website password passwords email emails mail letter letters envelope
stamp parcel package packages box boxes bag bags suitcase luggage ticket tickets passport visa wallet purse key keys
lock door doors window wall walls floor floors ceiling roof stairs kitchen bathroom bedroom garden garage basement
attic balcony yard lawn fence gate chair chairs table tables desk shelf shelves drawer lamp lamps light lights bulb
carpet curtain curtains pillow blanket mattress towel towels soap shampoo toothbrush toothpaste mirror sink shower
toilet oven stove fridge freezer dishwasher dishes dish plate plates cup cups mug glass glasses bottle bottles bowl
spoon fork knife knives pot kettle toaster microwave laundry clothes shirt shirts trousers pants jeans dress skirt
jacket coat sweater shoes shoe boots socks hat gloves scarf belt umbrella jewellery jewelry ring rings bread butter
cheese milk egg eggs meat beef pork ham sausage fish salmon tuna shrimp pasta noodles soup salad sauce salt flour oil
vinegar jam jelly cake cakes cookies biscuits chocolate cream yogurt fruit fruits bananas oranges lemons grapes berries
strawberries vegetables potatoes tomatoes onions garlic carrots beans peas cabbage lettuce mushrooms nuts juice wine
beer snack snacks dessert recipe recipes restaurant restaurants cafe bar pub hotel hotels hostel airport station
stations train trains bus buses tram taxi flight flights plane planes boat boats ship ferry bike bikes bicycle truck
trucks motorbike engine tyre tyres tire tires fuel petrol gas diesel traffic parking road roads street streets bridge
tunnel corner map maps trip trips tour tours holiday holidays vacation vacations beach beaches sea lakes mountain
mountains valley forests tree trees leaf flower flowers plant plants seeds soil stones sand mud dust smoke fire ice
rain wind storms thunder cloud clouds fog sunshine stars air heat cold temperature birds horse horses cow cows pig pigs
sheep goat chicken chickens duck ducks rabbit rabbits mice rat rats insects bee bees spider spiders ant ants head face
eye eyes ear ears nose mouth tooth teeth tongue neck shoulder shoulders arm arms elbow hand hands finger fingers chest
stomach belly hip hips leg legs knee knees ankle ankles foot feet toe toes skin hair bone bones muscle muscles heart
brain blood pain headache fever cough flu allergy allergies medicine medicines pills vaccine hospital hospitals clinic
nurse nurses doctors dentist appointment appointments surgery diet gym yoga dream dreams babies neighbour neighbours
neighbor neighbors guests colleague colleagues manager managers employees employee office offices contract contracts
salary tax taxes invoice invoices bills rent mortgage loan loans bank budget budgets prices cost costs discount sale
sales shop shops store stores shopping market supermarket business company companies factory agenda deadline deadlines
schedule calendar report reports document documents folder folders database databases server servers software hardware
app apps feature features release releases bug bugs log logs backup backups network networks robot robots machine
machines tool tools hammer screw screws nail nails paint brush brushes rope tape glue metal plastic leather wool silk
rubber class classes lesson lessons homework exam exams grade grades university college course courses language
languages grammar dictionary science history maths mathematics physics chemistry biology geography philosophy religion
politics government police court laws army war election elections vote votes president minister song songs concert
concerts guitar piano violin drums band theatre theater museum museums gallery film films series episode episodes
magazine newspaper newspapers poem poems novel novels author authors toy toys doll puzzle puzzles ball football soccer
basketball tennis golf swimming skiing hiking cycling training race races match matches score scores prize prizes gift
gifts present presents party parties wedding weddings funeral anniversary tradition traditions memory memories feelings
anger fear trouble noise silence smell taste colour colours color colors size sizes shape shapes weight height length
distance speed
"""
"""Everyday things that hardly anybody is called: Paper jam in the printer. Unlike the words above they are names where
a sentence shows it: my dog Biscuits."""

_SHOUTED = """
lol omg fyi btw asap imo imho tbh idk aka wtf rofl brb ttyl rip ok no yes not and the you are is it all now so my me
we do to of in on at be by an or if for but your very never always only must please note important warning todo tldr
"""

_UNCASED = """
我 你 妳 他 她 它 您 我们 你们 他们 她们 它们 咱们 我們 你們 他們 她們 它們 自己 大家 这 那 這 这里 那里 這裡 那裡
这个 那个 這個 那個 哪里 什么 什麼 谁 誰 是 不 不是 没有 沒有 好 对 對 これ それ あれ ここ そこ あそこ 私 僕 俺 彼
彼女 私たち 彼ら みんな はい いいえ 이 그 저 우리 나 너 여기 거기 네 아니요 هو هي هم هن نحن انا انت انتم هذا هذه ذلك
تلك هؤلاء هنا هناك نعم لا كلا यह वह ये वे मैं हम तुम आप यहाँ वहाँ हाँ नहीं да нет ни не он она оно они мы вы это
"""
"""Pronouns, yes and no of scripts in which quotation marks, not capitals, show names."""

TITLES = frozenset(("mr", "mrs", "ms", "dr", "prof", "st", "mt", "ft", "rev", "gen", "sen", "capt", "sgt", "lt", "col"))
"""Abbreviations whose full stop ends no sentence and that begin a name."""

JOINERS = (
    "of", "of the", "de", "de la", "de los", "de las", "del", "della", "di", "da", "do", "dos", "das", "du", "des",
    "van", "van der", "van den", "van de", "von", "von der", "zu", "la", "le", "el", "al", "bin", "ibn", "y", "&",
)  # fmt: skip
"""What may stand in lower case between two words of one name."""


@functools.cache
def dates() -> frozenset[str]:
    """Folded names of months, weekdays and seasons, and what else only says when."""
    return frozenset(map(fold_name, _DATES.split()))


@functools.cache
def around_dates() -> frozenset[str]:
    """Folded words that stand beside a date and make it no name."""
    return frozenset(_AROUND_DATES.split())


@functools.cache
def leading() -> frozenset[str]:
    """Folded words that are no part of the name that follows them."""
    return frozenset(map(fold_name, _LEADING.split())) | function_words("english") | _question_words()


@functools.cache
def common() -> frozenset[str]:
    """Folded words that are no name when they stand alone."""
    return leading() | frozenset(map(fold_name, (*_COMMON.split(), *_UNCASED.split())))


@functools.cache
def things() -> frozenset[str]:
    """Folded words that are no name where they open a sentence."""
    return frozenset(map(fold_name, _THINGS.split()))


@functools.cache
def shouted() -> frozenset[str]:
    """Folded words that are written in capitals and name nothing."""
    return frozenset(map(fold_name, _SHOUTED.split()))


@functools.cache
def function_words(language: str = "") -> frozenset[str]:
    """Folded function words of a language; by default of all languages, without those that are names as well."""
    if language:
        return frozenset(map(fold_name, FUNCTION_WORDS.get(language, "").split()))
    return frozenset(fold_name(word) for words in FUNCTION_WORDS.values() for word in words.split()) - names_too()


@functools.cache
def names_too() -> frozenset[str]:
    """Folded names that are function words of some language."""
    return frozenset(_NAMES_TOO.split())


@functools.cache
def _question_words() -> frozenset[str]:
    return frozenset(fold_name(word) for words in QUESTION_WORDS.values() for word in words.split())
