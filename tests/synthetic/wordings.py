"""What somebody told an assistant, and questions in the same and in other words.

Each line: what was said | a question in its words | one in other words (no stem in common) | a lure, which has words of
the latter and answers nothing; "" for none.
"""

from __future__ import annotations

from collections.abc import Iterator

import attrs


@attrs.frozen
class Told:
    """A fact, a question that shares words with it, one that shares none, and a lure for the latter or ""."""

    fact: str
    same: str
    other: str
    lure: str


def replies(person: str) -> list[str]:
    """What the assistant said to each fact; empty for somebody who told nothing in a chat."""
    return REPLIES.get(person, "").strip().splitlines()


def told(person: str) -> Iterator[Told]:
    """What a person told."""
    for line in PEOPLE[person].strip().splitlines():
        yield Told(*(part.strip() for part in line.split("|")))


GARDENER = """
My cat is called Miso. | What is my cat called? | Which name does our feline pet have? | The pet shop near the station has closed.
I earn four thousand euros a month. | How much do I earn a month? | What is the size of my salary? | The size of the new carpet is three by two metres.
We got married in June 2019. | When did we get married? | In what year was the wedding? | The band from the wedding fair sent a price list.
Peanuts make me ill. | What do peanuts do to me? | Which food allergy should a cook know about? | The cook in the canteen comes from Lyon.
The car needs a new clutch before winter. | What does the car need before winter? | What has to be repaired on our vehicle? | Every vehicle in the street got a parking ticket.
I broke my left ankle while skiing. | Which ankle did I break? | Was there ever an injury to the foot in the mountains? | The mountains looked pink this morning.
My sister works as a nurse in Lyon. | Where does my sister work as a nurse? | What job does my female sibling have? | The job fair starts on Friday.
I wake up at five every day. | When do I wake up every day? | At what hour does the morning begin for me? | The shop has a happy hour on Thursday.
We are moving to Lisbon next spring. | Where are we moving next spring? | Which city will be our future home? | The city hall is being painted green.
I stopped drinking coffee because of my stomach. | Why did I stop drinking coffee? | Is there a reason to avoid caffeine? | There is no reason to hurry, said the clerk.
My boss is Henrike Vogel. | Who is my boss? | What is the name of the manager I report to? | The weather report was wrong again.
The spare key is under the blue flower pot. | Where is the spare key? | How can a guest get in when nobody is at home? | The guest book has sixty pages.
I play the cello in an amateur orchestra. | What do I play in the orchestra? | Which musical instrument do I practise? | The instrument maker in our street retired.
Our daughter was born on a rainy Sunday in March. | When was our daughter born? | On what weekday did the girl come into the world? | A girl on the tram sang about the world.
I cannot stand the smell of lavender. | Which smell can I not stand? | What scent do I hate? | The scent shop gave away samples.
My laptop gets too hot and shuts down. | What happens when my laptop gets hot? | What is the problem with the computer? | The computer club meets in the cellar.
I am saving money for a trip to Japan. | What am I saving money for? | Which Asian country would I like to see on vacation? | The vacation photos of the neighbours hang in the hall.
I take two pills against high blood pressure. | What do I take against blood pressure? | Which medication was prescribed for hypertension? | The parking permit was prescribed by the council.
My favourite author is Ursula Le Guin. | Who is my favourite author? | Which writer's novels do I love most? | Most novels in the box were damp.
The landlord raised the rent by ten percent. | By how much did the landlord raise the rent? | What became more expensive about the flat? | The flat roof over the garage leaks.
I am afraid of flying. | What am I afraid of? | Would a plane be a pleasant way for me to travel? | The travel agency has a new sign.
My brother and I have not spoken since the funeral. | Since when have my brother and I not spoken? | Is there a quarrel in the family? | The family tree was drawn by a student.
I grow tomatoes on the balcony. | What do I grow on the balcony? | Which vegetables are in my garden? | The garden centre sells lamps too.
We pay for the internet with the company card. | How do we pay for the internet? | Which account is charged for broadband at home? | The account of the voyage has maps.
I had my wisdom teeth taken out in 2015. | When were my wisdom teeth taken out? | Which dental surgery was done, and what year? | The surgery of the vet is on the corner.
The wifi password is on a sticker behind the router. | Where is the wifi password? | How does a visitor connect to our wireless network? | The visitor centre shows a film.
My grandmother left me a piano. | What did my grandmother leave me? | Did I inherit anything? | The prince will inherit three castles in the play.
I ride my bike to the office. | How do I get to the office? | How do I commute? | Those who commute by train got a refund.
I used to be a vegetarian until last year. | Until when was I a vegetarian? | Did my diet ever exclude meat? | The meat counter was empty.
Our dog bit the postman. | Whom did our dog bite? | Has an animal of ours hurt somebody? | The animal shelter is looking for blankets.
I prefer short answers without bullet points. | How do I prefer answers? | In which style should the assistant write replies? | The style of the chair is from the twenties.
My visa expires at the end of October. | When does my visa expire? | Until what date may I legally stay in the country? | The country fair has a pig race.
I learned Portuguese from a retired sailor. | From whom did I learn Portuguese? | Who taught me a foreign language? | The foreign minister waved from the car.
The kids are allowed one film on Fridays. | What are the kids allowed on Fridays? | How much television may our children watch? | The watch with the red strap was found.
I sleep badly when the moon is full. | When do I sleep badly? | What causes my insomnia? | Both causes got money from the lottery.
I support Union Berlin. | Whom do I support? | Which football club am I a fan of? | The fan in the bathroom makes a noise.
My shoes are size 44. | What size are my shoes? | How large are my feet? | A large parcel came for the neighbours.
I lost my wallet in the tram. | Where did I lose my wallet? | On what transport did my purse disappear? | The transport strike lasted a day.
The thesis is due on the first of September. | When is the thesis due? | What is the deadline for my dissertation? | The deadline for the quiz was moved.
I am colour-blind. | Am I colour-blind? | Is there a weakness in my eyesight? | The weakness of the team is its defence.
We named our son after his grandfather Emil. | After whom did we name our son? | Where does it come from what the boy is called? | The boy next door found a coin.
I quit my job at the bank to open a bakery. | Why did I quit my job at the bank? | Which business did I found myself? | The business section had an article on mills.
My knees hurt when I run. | When do my knees hurt? | Which joints ache during jogging? | All joints of the shelf were glued.
The insurance covers water damage. | What does the insurance cover? | Is the policy any good if a pipe bursts? | The pipe of the captain is in the museum.
I want to be called Alex, not Alexander. | What do I want to be called? | How do I like to be addressed? | The letter was addressed to a former tenant.
My wife is allergic to cats. | What is my wife allergic to? | What makes my spouse sneeze? | The dwarf in the play has to sneeze.
I voted by mail. | How did I vote? | In what way did I take part in the election? | The election posters still hang there.
I read the news only on weekends. | When do I read the news? | How often do I look at the papers? | The papers for the boiler are in the drawer.
The doctor told me to eat less salt. | What did the doctor tell me to eat less? | Which seasoning is bad for my health? | The health office has a queue.
I met my best friend in the army. | Where did I meet my best friend? | How do I know my closest buddy? | The closest bakery is shut on Mondays.
"""

ENGINEER = """
The user's son plays goalkeeper in the school team. | What does the user's son play in the team? | Which position does his boy have in football? | The position of the printer was changed.
The user is writing a novel about lighthouse keepers. | What is the user writing a novel about? | What is the subject of the book he works on? | A subject line was missing in the mail.
The user deploys on Fridays only in emergencies. | When does the user deploy on Fridays? | Is a release before the weekend welcome? | The weekend was sunny.
The user's mother has dementia and lives in a home. | Where does the user's mother live? | Is a parent of his in need of care? | The parent company sold a brand.
Tabs, not spaces, said the user. | What did the user say about tabs? | How should code be indented? | The code of the bicycle lock has four digits.
The user has a subscription to the Guardian. | What does the user have a subscription to? | Which newspaper does he get? | A newspaper boat floated in the fountain.
The user hates being phoned without warning. | What does the user hate? | How should one contact him? | The contact lens case is lost.
The production database runs on PostgreSQL 15. | What does the production database run on? | Which relational engine is used live? | The live concert began late.
The user's flat is on the sixth floor without a lift. | On which floor is the user's flat? | How many stairs are to be climbed to reach his apartment? | Ivy climbed up the church tower.
The user got divorced two years ago. | When did the user get divorced? | How did his marriage end? | At the end of the street is a kiosk.
The user speaks Danish with his children. | What does the user speak with his children? | Which language is used in his household with the kids? | A household survey came by mail.
The user fainted at the sight of blood at the dentist. | When did the user faint? | Did he ever lose consciousness? | They lose every match.
The staging server is restarted every night at two. | When is the staging server restarted? | Why is the test environment down after midnight? | A midnight snack of cheese was eaten.
The user collects stamps with ships. | What does the user collect? | Which hobby does he have? | The hobby room was flooded.
The user's favourite dish is lasagne. | What is the user's favourite dish? | Which meal would please him most? | It would please the crowd, wrote a critic.
The user's passport is in the safe at his parents'. | Where is the user's passport? | Where are his travel documents kept? | Documents about the dam were published.
The user was bitten by a tick in May. | When was the user bitten by a tick? | Is there a risk of Lyme disease? | There is a risk of frost tonight.
The team uses Slack, but incidents go to PagerDuty. | Where do incidents go? | How are outages announced to the people on call? | The call of the owl kept everybody awake.
The user gave up smoking on his fortieth birthday. | When did the user give up smoking? | Since when are cigarettes no longer part of his life? | The life of bees is short.
The user donates blood twice a year. | How often does the user donate blood? | Does he do something for charity? | The charity shop has a piano.
The user's thermostat is set to nineteen degrees. | What is the user's thermostat set to? | How warm are the rooms at his place? | The rooms in the hotel have no number.
The user's partner is expecting twins in August. | What is the user's partner expecting? | Are there going to be babies? | The babies of the fox were filmed.
The user studied physics in Uppsala. | Where did the user study physics? | Which university degree does he hold? | Hold the line, said the voice.
The user failed his driving test three times. | How often did the user fail his driving test? | Did he get the licence at the first attempt? | The first attempt to land was abandoned.
The user wants all amounts in Swiss francs. | In what does the user want all amounts? | Which currency should prices be shown with? | Prices of butter rose.
The user sings bass in a choir. | What does the user sing in the choir? | How deep is his voice? | The deep end of the pool is closed.
The user's neighbour practises the drums at night. | What does the user's neighbour practise? | What noise disturbs him when he is in bed? | The flower bed is full of weeds.
The user's account manager is called Pirkko. | What is the user's account manager called? | Who looks after the customer? | A customer left an umbrella.
The backup tapes are stored in Zurich. | Where are the backup tapes stored? | At which site do copies of the data lie? | The building site is fenced.
The user has run the marathon in under three hours. | In what time has the user run the marathon? | How fit an athlete is he? | The jacket did not fit.
The user inherited a vineyard from an uncle. | What did the user inherit from an uncle? | Which piece of land did a relative pass on to him? | The mountain pass is under snow.
The user cannot eat gluten. | What can the user not eat? | Is wheat bread all right for him? | The bread knife is blunt.
The user feeds the crows on his roof. | What does the user feed? | Which birds are his visitors? | Visitors must sign the list.
The user learned to swim at the age of thirty. | When did the user learn to swim? | Was he safe in deep water as a young man? | Young trees were planted along the canal.
The API is limited to a hundred requests a minute. | What is the API limited to? | How fast may a client send calls? | The client of the lawyer was absent.
The user wears a hearing aid in his right ear. | Where does the user wear a hearing aid? | Is he deaf on a side? | Side dishes cost extra.
The user's first computer was a Commodore 64. | What was the user's first computer? | On which machine did he begin as a child? | The coffee machine blinks.
The user lent his drill to Mehmet. | To whom did the user lend his drill? | Who has borrowed a tool? | A tool shed burned down.
The user never works on Wednesdays. | When does the user never work? | Which weekday is he free? | Free samples were gone by noon.
The user's daughter wants to become a pilot. | What does the user's daughter want to become? | What career does the girl dream of? | The dream of the red chamber is a classic.
The logs are kept for ninety days. | How long are the logs kept? | What is the retention period of the audit trail? | The trail through the forest is muddy.
The user paid cash for the boat. | How did the user pay for the boat? | Was the yacht bought on credit? | The credit of the film was misspelt.
The user had his appendix removed as a student. | When was the user's appendix removed? | Which operation did he undergo at university? | The operation of the ferry is paused.
The user believes in homeopathy. | What does the user believe in? | Is he open to alternative medicine? | The alternative route takes an hour.
The user's company was bought by a Korean group. | By whom was the user's company bought? | Who owns the firm he is employed at? | The ground was firm.
The user keeps his bees behind the barn. | Where does the user keep his bees? | Where does his honey come from? | The honey cake was too sweet.
The user snores. | Does the user snore? | Is he a quiet sleeper? | A quiet street was closed for the film crew.
The user's car is a red Volvo from 1994. | What is the user's car? | What does he drive? | A long drive leads to the manor.
The user has a scar on his chin from a fall. | Where does the user have a scar? | Is there a mark on his face? | The clock face is cracked.
The user will be on parental leave until Easter. | Until when will the user be on leave? | Why is he absent from the office? | The office plant was watered.
"""

REPLIES = {
    "gardener": """
What a lovely name for a cat! How old is she?
Thanks. Shall we make a budget with that income?
Congratulations! Did you celebrate with a big crowd?
That sounds dangerous. Do you carry an emergency pen?
A new clutch is expensive. Do you have a good garage?
Ouch, I hope it has healed. Do you still go skiing?
Nursing is a demanding job. Does she like it there?
That is early! Do you go to bed at nine?
How exciting! Have you found a place there yet?
A sensible choice. Herbal tea is gentle on the stomach.
Understood, I will mention her as your boss in the letter.
All right. You may want to move the key, that is where burglars look.
Lovely! What are you rehearsing in the orchestra?
A rainy birthday brings luck, they say. How is she?
Then we leave lavender out of the list of candles.
It may be the fan. When did you last clean the laptop?
Great plan! Cherry blossom season is the best time to go.
Good that you take it seriously. Does the pressure go down?
Wonderful taste! The Dispossessed is worth reading twice.
That is a lot. Have you checked whether the increase is legal?
You are not alone. Breathing exercises help at take-off.
I am sorry to hear that. Would you like to write him a letter?
Homegrown tomatoes are the best. Do they get enough sun?
Fine, then the internet bill goes to the company.
That must have hurt. Did they give you stitches?
Good to know in case you have to reset the router.
What a generous gift! Do you play the piano?
Great for the climate. Is the bike lane safe?
What made you change your mind about being a vegetarian?
Oh dear. Did the postman go to a doctor?
Understood, I will keep it brief.
Then you should apply for a new visa in September.
What a story! Is your Portuguese fluent now?
A good rule. Which film is it this week?
Thick curtains keep out the moon. Have you tried them?
Then the derby must be a big day for you. Go Union!
Noted, size 44 for the boots.
How annoying. Have you asked the tram company?
There is still time. How many pages of the thesis are done?
I will choose colours for the chart that differ in brightness.
Emil is a beautiful name. Was the grandfather proud?
Brave! How is the bakery doing?
Soft ground is easier on the knees. Have you seen a doctor?
Good. Do you keep photos of the damage?
Of course, Alex!
Then a dog may be the better choice for you two.
Convenient, no queue at the polling station.
A healthy habit, the news can be exhausting.
Lemon and herbs can replace most of the salt.
Friends from the army last a lifetime. Do you meet often?
"""
}
"""What the assistant said to each fact; no answer to the questions."""

PEOPLE = {"gardener": GARDENER, "engineer": ENGINEER}
