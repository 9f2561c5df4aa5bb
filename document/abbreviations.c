/* abbreviations.c - see abbreviations.h.
 * To add a language, add a row with its codes; every list is optional. A
 * language whose only peculiarity is its sentence marks needs no row, because ICU knows them. */
#include "abbreviations.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "str_map.h"
#include "text.h"

/* Words are separated by spaces. A word in lower case matches in any case, a word with a capital only as it is
 * written. */
typedef struct {
    const char *codes;                              /* of the language: ISO 639-1 and 639-2 */
    const char *never, *number, *starter, *capital; /* the flags of the same name */
    const char *first_words, *after_time, *dated;
    const char *before_ordinal; /* NULL: ordinals have no full stop */
    const char *before_count, *before_letter, *before_pronoun;
    const char *ending; /* of abbreviated words, WORD_NUMBER and WORD_STARTER: "Goethestr." */
    bool syllabic_consonants;
} AbbreviationList;

static const AbbreviationList abbreviation_lists[] = {
    {
        .codes = " en eng ",
        .never = " mr mrs ms mx dr prof messrs mmes Gen Col Lt Capt Cpt Maj Sgt Cpl Pvt Adm Cmdr Sen Rep Gov Pres Rev "
                 "Hon Supt Amb Insp Msgr Fr Br Ven e.g i.e eg ie cf viz vs ca approx resp incl excl esp attn ",
        .number =
            " no nos nr p pp vol vols fig figs ch chap sec sect par para eq ex ext op ed eds pt v vv l ll n nn ff "
            "f cl tab approx c ca circa Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec tel fl apt bk b d r cap "
            "col Art Arts ",
        .starter =
            " inc ltd co corp bros plc llc cie jr sr esq st ave blvd rd hwy ft mt univ dept dist est assn assoc "
            "bldg Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Mon Tue Tues Wed Thu Thur Thurs Fri u.s u.k "
            "u.n u.s.a u.s.s.r e.u d.c n.y l.a ph.d m.d b.a m.a b.sc m.sc ll.d d.phil et al ed eds rev vol vols "
            "pp fig figs ch chap sec sect sq cu ext a.d A.D b.c b.c.e c.e hon gen ret dec intl natl govt mfg Calif "
            "Mass Conn Mich Minn Wash Ariz Fla Tenn Okla Penn Va Pa Ga Ill Tex Ala Wis Ore Colo Nev ",
        .capital = " a.m p.m etc hrs hr min mins sec secs lb lbs oz ft km cm mm kg mph kmh misc max ",
        .after_time =
            " EST EDT ET CST CDT CT MST MDT MT PST PDT PT GMT UTC BST CET CEST Eastern Central Mountain Pacific "
            "Greenwich I Sunday Monday Tuesday Wednesday Thursday Friday Saturday January February March April May "
            "June July August September October November December ",
        .first_words =
            " the a an this that these those it he she they we you i his her their our my your its there here in "
            "on at by for from with without after before when while if although though because since as but and "
            "or so yet however moreover then now today yesterday tomorrow later soon both each every some many "
            "most all several few what who why how where which whose is are was were do does did can could should "
            "would not no yes please let during until despite to also only even just perhaps maybe meanwhile "
            "instead finally nobody everyone everything nothing someone something people it's he's she's i'm i've "
            "we're they're that's there's what's let's don't once under over about according another any among "
            "more much such too never ever still again thus hence therefore nevertheless otherwise see have has "
            "had be being having ",
        .before_letter = " vitamin plan type class grade group option hepatitis ",
        .before_pronoun = " and than as or but am do did can will war ",
    },
    {
        .codes = " de deu ger ",
        .never = " dr prof hr hrn fr frl dipl ing dipl.-ing dipl.-kfm dipl.-inf dipl.-phys med med.dent med.vet phil "
                 "jur rer "
                 "nat agr oec publ päd theol a.d a.M i.d "
                 "dres habil hl sr bzw ca vgl inkl exkl einschl zzgl bspw beispw sog evtl ggf gegr geb verh verw gesch "
                 "insb insbes bes jew lt mind urspr ehem vorm allg betr entspr gem dt frz engl ital span lat griech "
                 "russ poln amerik brit röm kath evang ev österr schweiz nördl südl östl westl zit od u s z.b d.h d.i "
                 "u.u z.t i.e i.a i.d.r u.a.m. o.g s.o.g v.a z.zt z.z d.j l.m i.s.d i.s.v m.e u.e m.w i.v sen abzgl "
                 "max ungef möbl resp vs kgl königl priv staatl städt ph Mag jun ",
        .number =
            " nr nrn no abs art s bd bde kap abb anm ziff tab rn rdnr rz lit jg jgg h bl sp z tel fax taf fn vers "
            "az § jan feb mrz apr jul aug sep sept okt nov dez ca kl hs fol ps lfd ",
        .starter =
            " str pl u.a u.ä u.dgl a.D A.D o.ä a.a.o s.o s.u u.v.a u.v.m v.chr n.chr e.v e.g jh jhd jhdt std min sek "
            "mio "
            "mrd tsd fa co corp inc ltd bhf hbf jr jun sen st a.d a.m i.r b.w i.br o.d.t d.j d.m v.j hrsg hg ebd "
            "ders ff f bd bde kap tel dgl temp gebr ges abt univ inst jan feb mrz apr jul aug sep sept okt nov "
            "dez stk pkt kfz lkw zi nr abs aufl ausg sp v.l n.v u.s u.s.a s.a h.c m.a b.a b.sc m.sc ph.d Mo Di Mi "
            "Do Fr Sa So ",
        .capital = " usw etc u.s.w u.s.f usf ",
        .first_words =
            " der die das den dem ein eine einen einem einer er sie es wir ihr ich du man sein seine seinen ihre "
            "ihren ihrem unser unsere mein meine dein deine dieser diese dieses diesen diesem jener jene jede "
            "jeder jedes alle alles viele einige manche mehrere beide kein keine niemand jemand in im an am auf "
            "aus bei beim mit nach von vom zu zum zur für gegen ohne um durch über unter vor hinter neben "
            "zwischen seit während wegen trotz bis ab als wenn weil da dass ob obwohl nachdem bevor sobald "
            "solange falls damit und oder aber denn sondern doch jedoch dann danach dabei dadurch dazu davon "
            "daher darum deshalb deswegen trotzdem außerdem dort hier heute gestern morgen jetzt nun später bald "
            "zuerst zunächst schließlich endlich inzwischen einmal auch nur noch schon so sogar selbst wie was "
            "wer wem wen wo wann warum weshalb wohin woher welche welcher welches ist sind war waren hat haben "
            "hatte hatten wird werden wurde wurden kann können konnte soll sollte darf muss müssen allerdings "
            "zudem dennoch ebenso etwa leider natürlich vielleicht nicht nichts insgesamt anschließend damals "
            "seitdem zwar bitte ja nein laut statt innerhalb außerhalb aufgrund gemäß dessen deren darüber darauf "
            "darin daran dagegen somit also sonst meist oft manchmal immer nie wieder erst gerade besonders "
            "weitere weiterhin ferner hingegen gleichzeitig ",
        .dated = " januar jänner februar märz april mai juni juli august september oktober november dezember jan feb "
                 "mär mrz apr jun jul aug sep sept okt nov dez jahrhundert jahrhunderts jahrtausend jh jhd jahrestag "
                 "geburtstag weltkrieg auflage stock stockwerk etage klasse platz kapitel mal runde spieltag liga tag "
                 "woche monat quartal halbjahr semester bundesliga republik reich sinfonie symphonie satz akt szene "
                 "lebensjahr fc und bis oder bzw ",
        .before_ordinal =
            " am im der die das den dem des vom zum zur beim ab bis ins ans seit jeder jede jedes jeden jedem "
            "dieser diese dieses diesen diesem sein seine seinen seinem seiner seines ihr ihre ihren ihrem ihrer "
            "ihres mein meine meinen meinem meiner dein unser unsere unseren unserem unserer ein eine einen einem "
            "einer kein keine erst ",
        .before_count =
            " platz gleis seite kapitel nummer klasse stufe artikel paragraph tabelle abbildung um auf gegen etwa "
            "rund circa ca waren sind war ist insgesamt nur über unter knapp fast noch hat haben hatte hatten "
            "kostet kosten jahr jahre jahren seit von nach zimmer linie band teil absatz punkt version level satz "
            "halle tor ",
        .ending = "str",
        .before_letter = " vitamin plan typ klasse gruppe hepatitis punkt option ",
    },
    {
        .codes = " fr fra fre ",
        .never =
            " M MM Mme Mmes mlle mlles Me Mes mgr dr drs pr prof sr sts ste stes st vve cf p.ex c.-à-d c.à.d "
            "c-à-d càd env i.e e.g resp not. nb vs Gal Col Cdt Cne Lt Adj Ing Dir Prés S.E S.M S.A.R S.S N.-D hon ",
        .number = " no nos n p pp vol fig figs chap ch art al t tom liv sect §§ éd tabl tab pl ex v vv l par ann env "
                  "ibid op janv févr fév avr juil sept oct nov déc tél fax bd av r cap col f fol réf cass civ crim ",
        .starter =
            " av bd boul pl fg rte bat bât appt janv févr fév avr juil sept oct nov déc s.a s.a.r.l s.a.s s.n.c.f "
            "u.r.s.s o.n.u o.n.g p.m.e u.s.a u.e u.s t.g.v r.a.t.p r.f.a h.l.m p.d.g av.j.-c apr.j.-c j.-c ltd "
            "inc co corp cie ex éd coll trad dép univ ass min chap tabl tél hab p.s ibid id op.cit loc.cit et.al "
            "al jr suiv sq sqq ap ",
        .capital = " etc ",
        .first_words =
            " le la les l' un une des du au aux il elle ils elles on nous vous je j' tu ce c' cet cette ces cela "
            "ça son sa ses leur leurs mon ma mes notre nos votre vos ton ta tes qui que qu' quoi quand où comment "
            "pourquoi comme si s' mais et ou or donc car puis ensuite enfin alors après avant pendant depuis dès "
            "dans en à sur sous par pour sans avec chez vers entre contre selon malgré plusieurs certains "
            "certaines chaque tous tout toute toutes aucun aucune personne rien quelques d' aujourd' hier demain "
            "ici là voici voilà cependant toutefois pourtant ainsi aussi bien plus moins même lorsque lorsqu' "
            "puisque bientôt maintenant oui non ne n' est était sont y quel quelle quels quelles beaucoup parmi "
            "grâce outre quant lors jusqu' afin parce seul seule seuls souvent parfois jamais toujours déjà "
            "encore finalement soudain désormais autrefois heureusement malheureusement ceux celle celui celles a "
            "ont m' t' ",
        .before_letter = " vitamine plan type classe groupe hépatite option ",
    },
    {
        .codes = " es spa ",
        .never = " sr sra srta srs sres sras srtas dr dra drs dres dras D Dª dña Dn prof profª profa lic ing arq mons "
                 "mtro mtra sto sta fco fca fdez hdez glez mtnez rguez gmo Mª excmo excma ilmo ilma rvdo rvda hno "
                 "hna Fr Pbro gral cnel cap tte sgto cmdte alte "
                 "pdte presid ud uds vd vds p.ej p.e ej cf cfr aprox vs s.m ss.mm s.a.r ss.aa.rr s.e s.s n.b v.gr v.g "
                 "i.e e.g avda av pza pzo ntra Gob Min Lcdo Lcda Lcdos Dip Sen ",
        .number = " no nos núm núms nº n num p pp pág págs pag pags vol vols fig figs cap caps art arts sec secc t tom "
                  "ed lib tel teléf tfno c av avda ap apdo km v vv s ss izq dcha ext ene feb abr may jun jul ago sep "
                  "sept oct nov dic ref fol párr cfr col m aprox c.p ",
        .starter =
            " Ma ee.uu eeuu s.a s.l s.a.b c.v s.a.b.de.c.v s.a.de.c.v s.r.l s.c s.a.u s.l.u cía cia ltda inc ltd co "
            "corp jj.oo rr.hh aa.vv vv.aa ff.aa cc.oo ff.cc a.c d.c a.d o.n.u o.n.g u.e u.s u.s.a ed eds trad "
            "coord dir dpto depto admón univ apdo tel izq dcha vol cap fig págs pág ss núm art ene feb abr jun "
            "jul ago sep sept oct nov dic jr al et.al ibíd ibid íd id q.e.p.d r.i.p c.f f.c prov esq min seg hab ",
        .capital = " etc etcétera. a.m p.m ",
        .first_words =
            " el la los las lo un una unos unas él ella ellos ellas yo tú usted ustedes nosotros se su sus mi mis "
            "tu tus nuestro nuestra este esta estos estas ese esa eso esto aquel aquella esos esas que quien "
            "quienes cuando donde como porque si pero y e o ni aunque mientras luego después antes entonces ahora "
            "hoy ayer mañana allí allá aquí ahí en con sin por para desde hasta hacia sobre entre según durante "
            "tras a al ante bajo contra también además sin así todo todos toda todas cada muchos muchas algunos "
            "algunas varios varias nadie nada no sí ya más solo sólo es son era eran fue fueron hay había tiene "
            "tenía qué quién cómo dónde cuándo cuánto por finalmente actualmente posteriormente otro otra otros "
            "otras ninguno ninguna alguien algo tal tampoco nunca siempre casi quizá quizás tal pues sino le les "
            "me nos te os ha han está están tanto muy mucho poco debido gracias dicho dicha dichos ",
        .after_time = " GMT UTC CET ",
        .before_letter = " vitamina plan tipo clase grupo hepatitis opción ",
    },
    {
        .codes = " it ita ",
        .never = " sig sigg sig.ra sig.na sigra signa dr dott dott.ssa dr.ssa prof prof.ssa proff ing avv arch geom "
                 "rag on sen mons don s ss gen col cap ten magg cav comm es p.es cfr ca vs dott.ri i.e e.g v cd c.d ",
        .number = " n nn nr no p pp pag pagg vol voll fig figg cap capp art artt sez tab tav par lett c t tel gen feb "
                  "mar apr mag giu lug ago set sett ott nov dic all rif cfr ",
        .starter =
            " s.p.a s.r.l s.n.c s.a.s ltd inc co corp a.c d.c u.s.a u.s o.n.u u.e jr ed trad fig vol cap art tel "
            "gen feb mar apr mag giu lug ago ott nov dic ibid id op.cit al p.iva fraz loc prov min sec sgg seg ",
        .capital = " ecc etc ",
        .first_words =
            " il lo la i gli le l' un uno una un' egli ella lui lei loro io tu noi voi esso essa essi si ci ne "
            "questo questa questi queste quest' quello quella quelli quelle quell' che chi cosa quando dove come "
            "perché se ma e ed o né anche però quindi poi dopo prima allora ora adesso oggi ieri domani qui qua "
            "là lì in nel nella nei nelle nell' con senza per da dal dalla dai dalle di del della dei delle su "
            "sul sulla tra fra a al alla ai alle all' secondo durante inoltre così tutto tutti tutte ogni molti "
            "molte alcuni alcune nessuno niente non sì no già più solo è sono era erano fu furono ha hanno c' mio "
            "mia suo sua suoi sue nostro infatti infine tuttavia mentre poiché siccome nonostante ",
        .before_letter = " vitamina piano tipo classe gruppo epatite ",
    },
    {
        .codes = " pt por ",
        .never = " sr sra srs sras srta dr dra drs dras prof profa profª eng enga arq adv D exmo exma ilmo ilma rev pe "
                 "fr sto sta gen cel cap ten sgt maj pres dep sen gov p.ex ex v.g cf aprox vs v.exa v.s i.e e.g av r "
                 "mons Dom ",
        .number = " no nos n nº num núm p pp pg pág págs vol vols fig figs cap caps art arts sec seç t tom ed inc al "
                  "tel jan fev abr mai jun jul ago set out nov dez par r av km cp ref fls fl ",
        .starter = " s.a ltda cia ltd inc co corp e.u.a u.s.a u.s o.n.u u.e a.c d.c jr ed eds trad org vol cap fig tel "
                   "jan fev abr jun jul ago set out nov dez ibid id al univ dept séc ",
        .capital = " etc a.m p.m ",
        .first_words =
            " o a os as um uma uns umas ele ela eles elas eu tu você vocês nós se seu sua seus suas meu minha "
            "nosso nossa este esta estes estas esse essa esses essas isso isto aquele aquela que quem quando onde "
            "como porque por se mas e ou nem embora enquanto depois antes então agora hoje ontem amanhã ali aqui "
            "lá em no na nos nas com sem para pelo pela desde até sobre entre segundo durante após ao à aos às "
            "também além assim todo todos toda todas cada muitos muitas alguns algumas vários ninguém nada não "
            "sim já mais só é são era eram foi foram há havia tem tinha de do da dos das num numa outro outra "
            "finalmente atualmente apesar ",
        .before_letter = " vitamina plano tipo classe grupo hepatite ",
    },
    {
        .codes = " nl nld dut ",
        .never = " dhr mevr mw mej dr drs prof ir ing mr mrs ds st bijv bv d.w.z m.a.w o.a m.n i.p.v t.a.v m.b.t o.i.d "
                 "z.g zgn z.g.n ca evt incl excl max min resp vgl vs i.v.m t.o.v t.w a.h.w d.m.v v.d v v.h.w gen kol "
                 "kapt ",
        .number = " nr nrs no art blz p pp vol hfst fig afb tab par jan feb mrt apr jun jul aug sep sept okt nov dec "
                  "tel ca ",
        .starter =
            " b.v n.v inc ltd co corp e.d e.a e.v a.u.b u.s v.chr n.chr jl a.s jr sr jan feb mrt apr jun jul aug "
            "sep sept okt nov dec red vert ibid al univ afd str ",
        .capital = " enz etc ",
        .first_words =
            " de het een 't hij zij ze wij we jij je u ik men zijn haar hun ons onze mijn deze dit die dat er "
            "hier daar in op aan bij met na van voor door over onder tegen zonder om uit sinds tijdens volgens "
            "als wanneer toen omdat hoewel terwijl en of maar want dus dan daarna daarom daarbij toch ook nog nu "
            "vandaag gisteren morgen later al alle veel vele sommige elke ieder iedereen niemand niets iets geen "
            "niet ja nee wat wie waar waarom hoe welke is was waren zijn heeft hebben had wordt werd kan moet "
            "misschien echter bovendien eerst ten te tot ",
    },
    {
        .codes = " ru rus ",
        .never = " г-н г-жа проф акад доц инж св им т.е т.к напр см ср ул пр пл просп пер д кв корп стр. ген полк кап "
                 "лейт тов ок гл т.н т.наз ",
        .number = " рис табл стр с гл п пп ст т тт вып изд ч № см д кв ок янв февр апр авг сент окт нояб дек тел ",
        .starter = " г гг в вв н.э до.н.э т.д т.п др пр проч руб коп тыс млн млрд кг км см мм мин сек час чел обл р-н "
                   "ред изд т.о янв февр апр авг сент окт нояб дек с.ш ю.ш в.д з.д ",
        .first_words =
            " он она они оно я мы вы ты это этот эта эти тот та те его её их наш мой свой все всё каждый многие "
            "некоторые никто ничто кто что где когда куда откуда почему зачем как какой если хотя потому поэтому "
            "но а и или да нет не ни в во на с со к ко по из от до за для при без под над о об после перед через "
            "между во-первых затем потом теперь сейчас сегодня вчера завтра здесь там тогда также тоже только "
            "даже уже ещё однако кроме согласно был была были есть у так ",
    },
    {
        .codes = " pl pol ",
        .never = " dr prof mgr inż hab doc ks św abp bp gen płk kpt por np tzn tzw tj m.in zob ul al pl os ww ",
        .number = " nr dn art ust pkt str s t rozdz rys tab poz ok ul al pl zob tel sygn vol lit ",
        .starter = " r w n.e p.n.e godz min sek tys mln mld zł gr wyd red woj pow sp z.o.o s.a cd al u.s os ",
        .capital = " itp itd etc ",
        .first_words =
            " on ona ono oni one ja my wy ty to ten ta te ci jego jej ich nasz mój swój wszyscy wszystko każdy "
            "wiele niektóre nikt nic kto co gdzie kiedy dokąd skąd dlaczego jak jaki jeśli jeżeli choć chociaż "
            "ponieważ dlatego ale a i lub albo tak nie w we na z ze do od po za dla przy bez pod nad o u przez "
            "przed między potem następnie teraz dziś dzisiaj wczoraj jutro tu tam wtedy także też również tylko "
            "nawet już jeszcze jednak oprócz według był była było byli jest są czy gdy kiedyś ",
        .dated = " stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia ",
        .before_ordinal = " w we na do od z po ",
        .syllabic_consonants = true,
    },
    {
        .codes = " cs ces cze sk slk slo ",
        .never = " dr mudr judr phdr ing prof doc mgr bc sv např tzn tzv tj mj resp popř ev p sl plk gen kpt ",
        .number = " č čís str s obr tab čl odst kap sv roč tel ul nám písm ",
        .starter = " aj r st stol n.l př.n.l př.kr po.kr hod min sek tis mil mld kč s.r.o a.s spol ing csc ",
        .capital = " apod atd etc ",
        .first_words =
            " on ona ono oni já my vy ty to ten ta ti jeho její jejich náš můj svůj všichni všechno každý mnoho "
            "někteří nikdo nic kdo co kde kdy kam odkud proč jak jaký jestli když ačkoli protože proto ale a i "
            "nebo ano ne v ve na s se z ze k ke do od po za pro při bez pod nad o u přes před mezi potom pak teď "
            "dnes včera zítra tady tam tehdy také jen už ještě však podle byl byla bylo byli je jsou ",
        .dated = " ledna února března dubna května června července srpna září října listopadu prosince století ročník "
                 "místo ",
        .before_ordinal = " v ve na do od dne k ",
        .syllabic_consonants = true,
    },
    {
        .codes = " sv swe da dan nb nob no nor nn nno ",
        .never = " dr prof hr fr frk fru bl.a t.ex f.eks t.o.m fr.o.m d.v.s dvs s.k jfr jf jmf ca kl ev evt inkl ekskl "
                 "exkl resp såk pga p.g.a p.gr.a ift iht mht ",
        .number = " nr s sid kap art bd fig tab kl ca tlf tel st stk vol ",
        .starter =
            " m.m m.fl o.s.v osv o.dyl o.d e.kr f.kr a.s jan feb mar apr jun jul aug sep sept okt nov dec des st "
            "gt sek mio mia mkr utg udg univ inc ltd co corp ",
        .capital = " etc ",
        .first_words =
            " han hon hun den det de dem jag jeg vi du ni i en ett et denna denne detta dette dessa disse hans "
            "hennes hendes deres vår vores min alla alle många mange några nogle ingen inget vem hvem vad hva "
            "hvad var hvor när når varför hvorfor hur hvordan om men och og eller eftersom fordi att at på av af "
            "med från fra till til för for efter etter före før under över over mellan mellem utan uden mot mod "
            "sedan siden då da nu nå idag igår här her där der också også bara bare ännu ja nej nei inte ikke är "
            "er var har hade kan skal ska som ",
        .dated = " januar februar marts mars april maj mai juni juli august september oktober november december "
                 "desember århundrede århundre og ",
        .before_ordinal = " den d de det i til fra ",
    },
    {
        .codes = " hi hin mr mar ne nep ",
        .never = " डॉ डा प्रो पं कु सुश्री श्रीमती स्व इं न्या ब्रि एम एस बी सी डी एन पी आर एल एच वी टी एफ dr mr mrs ms prof ",
        .number = " सं क्र रु पृ नं no vol ",
        .starter = " लि प्रा ई.पू inc ltd co corp u.s ",
    },
};

static const char abbreviation_companies[] = " Inc Corp Ltd Co LLC Plc PLC GmbH AG Limited Corporation Incorporated ";

static const size_t abbreviation_list_count = sizeof abbreviation_lists / sizeof *abbreviation_lists;

struct Abbreviations {
    const AbbreviationList *list; /* NULL: all languages */
    StrMap *places;               /* word -> index in `flags` */
    IdList flags;
};

static Status add_word(Abbreviations *a, const char *word, size_t len, int32_t flag, Err *err)
{
    int32_t place = (int32_t)a->flags.len;
    bool added;
    Status st = str_map_add(a->places, word, len, place, &added, err);

    if (st != OK) return st;
    if (added) return ids_append(&a->flags, flag, err);
    a->flags.data[str_map_get(a->places, word, len, 0)] |= flag;
    return OK;
}

static Status add_words(Abbreviations *a, const char *words, int32_t flag, Err *err)
{
    Status st = OK;

    while (st == OK && words && *(words += strspn(words, " "))) {
        size_t len = strcspn(words, " ");
        st = add_word(a, words, len, flag, err);
        words += len;
    }
    return st;
}

static Status add_list(Abbreviations *a, const AbbreviationList *list, Err *err)
{
    const struct {
        const char *words;
        int32_t flag;
    } lists[] = {
        { list->never, WORD_NEVER },
        { list->number, WORD_NUMBER },
        { list->starter, WORD_STARTER },
        { list->capital, WORD_CAPITAL },
        { list->first_words, WORD_FIRST },
        { list->after_time, WORD_AFTER_TIME },
        { list->dated, WORD_DATED },
        { list->before_ordinal, WORD_BEFORE_ORDINAL },
        { list->before_count, WORD_BEFORE_COUNT },
        { list->before_letter, WORD_BEFORE_LETTER },
        { list->before_pronoun, WORD_BEFORE_PRONOUN },
    };
    Status st = OK;

    for (size_t i = 0; st == OK && i < sizeof lists / sizeof *lists; i++)
        st = add_words(a, lists[i].words, lists[i].flag, err);
    return st;
}

static bool has_code(const AbbreviationList *list, const char *language)
{
    size_t len = language ? strcspn(language, "_-") : 0;

    for (const char *code = list->codes; len && *(code += strspn(code, " ")); code += strcspn(code, " "))
        if (strcspn(code, " ") == len && memcmp(code, language, len) == 0) return true;
    return false;
}

Status abbreviations_new(Abbreviations **out, const char *language, Err *err)
{
    Abbreviations *a = calloc(1, sizeof *a);
    Status st;

    *out = a;
    if (!a) return err_memory(err, "the abbreviations");
    for (size_t i = 0; i < abbreviation_list_count; i++)
        if (has_code(&abbreviation_lists[i], language)) a->list = &abbreviation_lists[i];
    st = str_map_new(&a->places, err);
    for (size_t i = 0; st == OK && i < abbreviation_list_count; i++)
        if (!a->list || a->list == &abbreviation_lists[i]) st = add_list(a, &abbreviation_lists[i], err);
    if (st == OK) st = add_words(a, abbreviation_companies, WORD_COMPANY, err);
    if (st == OK) return OK;
    abbreviations_free(a);
    *out = NULL;
    return st;
}

void abbreviations_free(Abbreviations *words)
{
    if (!words) return;
    str_map_free(words->places);
    ids_free(&words->flags);
    free(words);
}

static unsigned flags_of(const Abbreviations *a, const char *word)
{
    int32_t place = str_map_get(a->places, word, strlen(word), -1);

    return place < 0 ? 0 : (unsigned)a->flags.data[place];
}

unsigned abbreviations_find(const Abbreviations *words, const char *exact, const char *folded)
{
    const char *ending = words->list ? words->list->ending : NULL;
    unsigned flags = flags_of(words, exact);

    if (!flags || !strchr(exact, '.')) flags |= flags_of(words, folded);
    if (ending && text_ends_with(folded, ending)) flags |= WORD_NUMBER | WORD_STARTER;
    return flags;
}

bool abbreviations_are_multilingual(const Abbreviations *words)
{
    return !words->list;
}

bool abbreviations_have_dotted_ordinals(const Abbreviations *words)
{
    return words->list && words->list->before_ordinal;
}

bool abbreviations_may_lack_vowels(const Abbreviations *words)
{
    return words->list && words->list->syllabic_consonants;
}
