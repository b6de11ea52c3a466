"""Stop words: words that say nothing about what a memory is about.

Two kinds. Function words belong to one language and count only where that language is read. Question words are common
in questions and rare in what answers them, so that each would outweigh every word of substance; those of all languages
below count always, as far as they mean nothing else in another one. Negation and the words of time order (before,
after, until, since ...) are in no list: they carry the meaning of a memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

FUNCTION_WORDS: Mapping[str, str] = MappingProxyType({
    "english": """
        a an the this that these those i me my mine myself we us our ours ourselves you your yours yourself yourselves
        he him his himself she her hers herself it its itself they them their theirs themselves
        am is are was were be been being have has had having do does did doing done
        will would shall should can could may might must ought
        and or but if because as of at by for with about to from in on into onto upon than so too very just also there
        here then again both each few more most some any such own same other
        im ive youre youve hes shes theyre thats s t d ll m re ve
    """,
    "german": """
        der die das den dem des ein eine einen einem einer eines dieser diese dieses diesen diesem jener jene jenes
        ich mich mir mein meine meinen meinem meiner meines du dich dir dein deine deinen deinem deiner er ihn ihm
        sein seine seinen seinem seiner seines sie ihr ihre ihren ihrem ihrer ihres es wir uns unser unsere unseren
        euch euer eure man sich selbst bin bist ist sind seid war warst waren wäre sei gewesen
        habe hast hat haben hatte hatten hätte werde wirst wird werden wurde wurden worden würde
        kann kannst können konnte könnte muss müssen musste soll sollen sollte will wollen wollte darf dürfen mag
        und oder aber wenn weil dass daß als ob denn doch in im an am auf aus bei beim mit von vom zu zum zur für um
        über da dann hier dort so auch noch schon nur sehr ja mal
    """,
    "french": """
        le la les l un une des du de d au aux ce cet cette ces je j me m moi tu te t toi il elle on nous vous ils elles
        se s soi lui leur leurs y en mon ma mes ton ta tes son sa ses notre nos votre vos
        suis es est sommes êtes sont étais était étions étaient être été ai as a avons avez ont avais avait avaient
        avoir eu fait faire peut peux et ou mais si car que qu dans sur sous par pour avec à chez comme
        ceci cela ça c là ici plus très aussi bien
    """,
    "spanish": """
        el la los las lo un una unos unas de del al a en y e o u que se su sus mi mis tu tus me te le les nos os
        yo tú él ella ello nosotros vosotros ellos ellas usted ustedes este esta estos estas esto ese esa esos esas eso
        aquel aquella soy eres es somos son era eras eran fue fueron ser sido estoy estás está estamos están estaba
        estaban estar he has ha hemos han había habían haber hay por para con si pero porque como más muy
        también ya aquí ahí allí
    """,
    "portuguese": """
        o a os as um uma uns umas de do da dos das em no na nos nas ao aos à às e ou que se seu sua seus suas meu minha
        meus minhas teu tua me te lhe lhes eu tu ele ela nós vós eles elas você vocês este esta estes estas isto esse
        essa esses essas isso aquele aquela aquilo sou és é somos são era eram foi foram ser sido estou está estamos
        estão estava estavam estar tenho tem têm tinha ter há por para com pelo pela mas porque como mais muito também
        já aqui ali lá
    """,
    "italian": """
        il lo la i gli le l un uno una di del dello della dei degli delle d a al allo alla ai agli alle da dal dallo
        dalla dai in nel nello nella nei nelle su sul sulla sui con per tra fra e ed o ma se che
        io tu lui lei noi voi loro mi ti si ci vi ne mio mia miei mie tuo tua tuoi tue suo sua suoi sue nostro nostra
        vostro vostra questo questa questi queste quello quella quelli quelle sono sei è siamo siete era erano essere
        stato stata ho hai ha abbiamo avete hanno aveva avevano avere più molto anche già qui lì là come
    """,
    "dutch": """
        de het een dit dat deze die ik mij me mijn jij je jou jouw u uw hij hem zijn zij ze haar wij we ons onze jullie
        hun hen zich ben bent is was waren geweest heb hebt heeft hebben had hadden word wordt worden werd werden
        kan kun kunnen kon zal zullen zou moet moeten mag mogen wil en of maar als omdat om te in op aan van voor met
        bij uit over door naar er hier daar dan zo ook nog al wel heel
    """,
    "swedish": """
        en ett den det de dem denna detta dessa jag mig min mitt mina du dig din ditt dina han honom hans hon henne
        hennes vi oss vår vårt våra ni er ert era sig sin sitt sina man är var varit vara har hade ha blir blev bli
        kan kunde ska skulle vill ville måste och eller men om att som i på av till för med från vid hos
        här där då så också mycket bara
    """,
    "turkish": """
        bir bu şu o ben sen biz siz onlar bana sana ona bize size onlara beni seni onu bizi sizi onları benim senin
        onun bizim sizin onların ve veya ya da de ki ile için gibi kadar ama fakat çünkü eğer ise idi imiş
        mi mı mu mü var olan olarak oldu olur olduğu daha çok en her şey
    """,
    "russian": """
        и в во на с со а но то это этот эта эти этого этой этому этим этом этих тот та те того той тому тем том тех
        весь вся всё все всех она он оно они его её их ему ей им ней нём них мы вы ты я мне меня мной нам нас вам вас
        тебе тебя себе себя к ко от о об обо из за по для при над под про так же бы ли был была было были быть есть
        если или да уже ну вот ещё там тут здесь также мой моя моё мои твой твоя твои наш наша наши ваш ваша ваши
        свой своя своё свои своего своей своих
    """,
    "greek": """
        ο η το οι τα του της των τον την τους τις ένας μια μία ένα στο στη στην στον στα στις στους και κι ή αλλά αν
        να θα ας σε από με για ως εγώ εσύ αυτός αυτή αυτό αυτοί αυτές αυτά εμείς εσείς μου σου μας σας
        είμαι είσαι είναι είμαστε ήμουν ήταν έχω έχεις έχει έχουν είχα είχε είχαν που ότι πως όπως
        εδώ εκεί πολύ πιο επίσης
    """,
    "arabic": """
        في من على إلى عن مع هذا هذه ذلك تلك هؤلاء الذي التي الذين اللذان اللتان اللاتي هو هي هم هن أنا أنت أنتم نحن
        كان كانت كانوا يكون تكون أن إن أو و ف ثم قد لقد كل تم يتم به بها بهم فيه فيها له لها لهم لي لك منه منها
        عليه عليها إنه أنه إنها أنها هناك هنا أيضا
    """,
    "hindi": """
        का के की को में से ने पर है हैं हूँ हो था थे थी थीं और या एक यह ये वह वे इस इन उस उन इसका इसके इसकी उसका उसके
        उसकी उनका उनके उनकी कि जो जिस जिन तो ही भी मैं मुझे हम हमें तुम आप मेरा मेरी मेरे हमारा हमारे हमारी आपका
        आपके आपकी अपना अपने अपनी
    """,
})  # fmt: skip

QUESTION_WORDS: Mapping[str, str] = MappingProxyType({
    "english": "what which who whom whose when where why how",
    "german": "wer wem wessen wann wie wieviel wieviele warum weshalb wieso welche welcher welches welchem welchen",
    "french": "quel quelle quels quelles qui où combien pourquoi",
    "spanish": """
        qué que quién quien quiénes quienes cuál cual cuáles cuales cuándo cuando dónde donde cómo
        cuánto cuanto cuánta cuanta cuántos cuantos cuántas cuantas
    """,
    "portuguese": "quê quem qual quais quando onde quanto quantos quantas",
    "italian": "quali perché quanti quante",
    "dutch": "welke wanneer waar waarom hoeveel",
    "swedish": "vem vilken vilket vilka varför",
    "romanian": "unde când cât câți câte cărui",
    "polish": "kto kiedy gdzie dlaczego który która które",
    "turkish": "kaç hangi hangisi nerede nereye nasıl niçin kimdir nedir",
    "vietnamese": "gì nào đâu",
    "russian": """
        что чего чему чем кто кого кому кем какой какая какое какие какого какому каким каком какую какими каких каков
        какова каковы который которая которое которые которого которой которому которым котором которую которых
        сколько скольких когда где куда откуда почему зачем как чей чья чьё чьи
    """,
    "greek": "τι ποιος ποια ποιο ποιοι ποιες ποιον ποιους πότε πού πώς γιατί πόσο πόσα πόσοι πόσες πόσος πόση",
    "arabic": "ما ماذا متى أين كيف كم لماذا أي أية هل بماذا لمن ممن مم عم بم فيم",
    "hindi": """
        क्या कौन किस किसने किसे किसको किसका किसकी किसके किन किनका किनके किनकी किनको किन्हें किन्होंने कब कहाँ कहां कैसे
        कैसा कैसी कितना कितने कितनी क्यों कौनसा कौनसी कौनसे
    """,
    # Characters, syllables and pairs of them, as unspaced scripts are indexed.
    "chinese": """
        什么 什 么 哪 哪个 哪些 哪里 哪儿 哪位 哪种 哪一 谁 多少 几个 怎么 怎样 怎 为什 为何 如何 何时 何地 吗 呢
        什麼 麼 誰 嗎 幾個 怎麼 怎樣 為何 為什
    """,
    "japanese": "どこ だれ いつ なぜ なに どう どの どれ",
    "korean": "무엇 누구 어디 언제 왜 어떻 몇",
    "thai": "ใคร อะไร ไหน ทำไม กี่",
})  # fmt: skip

# Written in capitals these are names: the country, the trade, the health organisation.
NAMES_IN_CAPITALS = frozenset({"US", "IT", "WHO"})
