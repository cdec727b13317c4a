"""What names of machine parts are made of, by language: which letters are usual, the most usual first."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Language:
    """A language with the code pages that machines had for it; `letters` beyond ASCII, small ones, the usual first.

    `mixed` are those that stand between letters of ASCII (Latin), not words by themselves; of words the `vowels`. How
    many times less often it is met than western Europe's: `rarity`.
    """

    called: str
    encodings: tuple[tuple[str, str], ...]
    letters: str
    mixed: bool = True
    vowels: str = ""
    rarity: float = 1.0


_WESTERN = (("cp1252", "Windows-1252"),)
_CENTRAL = (("cp1250", "Windows-1250"), ("iso8859-2", "ISO 8859-2"))

ALPHABETS = (
    Language("Latin letters", _WESTERN, "äüößé"),
    Language("Latin letters", _WESTERN, "éèàêçâîôûùïëœ"),
    Language("Latin letters", _WESTERN, "óíáñéúü"),
    Language("Latin letters", _WESTERN, "ãçõáéíóúâêôà"),
    Language("Latin letters", _WESTERN, "àòèùìé"),
    Language("Latin letters", _WESTERN, "äöåé"),
    Language("Latin letters", _WESTERN, "øæåé"),
    Language("Polish", _CENTRAL, "łęóążśćńź", rarity=2.0),
    Language("Czech or Slovak", _CENTRAL, "íáéýžěřčšůťúňóľďôäĺŕ", rarity=2.0),
    Language("Hungarian", _CENTRAL, "éáöőóüíúű", rarity=2.0),
    Language("Romanian", _CENTRAL, "ăîţşâ", rarity=2.0),
    Language("Croatian or Slovene", _CENTRAL, "čšžćđ", rarity=2.0),
    Language("Turkish", (("cp1254", "Windows-1254"),), "ışüğçöİ", rarity=2.0),
    Language(
        "Cyrillic letters",
        (("cp1251", "Windows-1251"), ("koi8-r", "KOI8-R"), ("cp866", "code page 866")),
        "оаеинтсрвлкмдпуяыьгзбчйхжшюцщэфъіїєё",
        mixed=False,
        vowels="оаеиуяыюэіїєёьъ",
    ),
    Language(
        "Greek",
        (("cp1253", "Windows-1253"), ("iso8859-7", "ISO 8859-7")),
        "αοιετσνηυρκπμλςωάόίέήδγθχφβύξζώψϊϋ",
        mixed=False,
        vowels="αοιεηυωάόίέήύώϊϋ",
    ),
)

# Letters of names of parts: words of mechanics first, then those that any text has.

HANZI = (
    "默认目录未知指定任何输入草图特征切除阵列螺纹直径周配合显示状态项无"
    "件装配体零底座电机支架螺钉栓轴承齿轮连杆曲柄滑块导轨弹簧垫片圈联器手盖板外壳减速丝杠母固定气缸活塞左右侧上下前后中"
    "圆柱销同步带法兰传动卡环键一二三四五六七八九十大小长短内面孔槽套筒销钉平台架子安装组合总成部分主副箱身头尾顶端臂"
    "压力油泵阀门管道接开关锁紧调节旋转移动升降夹具爪模型图号型钢铝铜铁铸焊铆冲切割车床铣刀刃工作机械设备机器人链条皮"
    "滚珠直线运动控制器马达电缸传感水冷却风扇叶片罩壳保护防尘密封挡限位块定位标准新建副本镜像阵列拉伸旋凸台倒角不的是了"
    "有和在人这为之来以个用生到地于出就年得可那要时过家学对多现实加方法成会同行发工经理向度本重高低速比心点线角形状实物"
    "横梁立纵臂肩肘腕指掌关节脚腿轮胎悬挂架转向节制刹离合变速箱差半桥拉推杆拨叉摇摆凸轮槽棘蜗斜锥齿条行星太阳内啮花"
    "料输送辊托盘货叉门窗铰链把抽屉桌椅脚踏灯泵体转子定子线圈磁铁芯片电池盒按钮屏幕显示支撑柱脚垫底盘侧前盖后"
)
HANZI_TRADITIONAL = (
    "件裝配體零底座電機支架螺釘栓軸承齒輪連桿曲柄滑塊導軌彈簧墊片圈聯器手蓋板外殼減速絲槓母固定氣缸活塞左右側上下前後中"
    "圓柱銷同步帶法蘭傳動卡環鍵一二三四五六七八九十大小長短內面孔槽套筒平台子安組合總成部分主副箱身頭尾頂端臂馬達"
    "壓力油泵閥門管道接開關鎖緊調節旋轉移升降夾具爪模型圖號鋼鋁銅鐵鑄焊鉚沖切割車床銑刀刃工作械設備人鏈條皮把插"
    "滾珠直線運控制感水冷卻風扇葉罩保護防塵密封擋限位定標準新建本鏡像陣列拉伸凸倒角不的是了有和在人這為之來以個用生到"
    "地於出就年得可那要時過家學對多現實加方法會行發經理向度重高低比心點形狀物橫樑立縱肩肘腕指掌腳腿胎懸掛輪拴絞"
)
KANJI = (
    "部品軸受取付板歯車上下左右側前後押本体連結棒固定支柱台座組立図面機械装置材料鋼鉄中内外大小一二三四五六七八九十"
    "回転直動案内可動円筒穴溝蓋箱枠底天井扉開閉手足腕指爪輪平角丸長短高低止具金物脚架梁管弁油圧空気電動気減速用新旧"
    "形型番号標準共通部分全体主副補助調整締付送搬入出力入軸継弾性圧縮引張板材溶接加工切削研磨仕様設計試作製品名日月年"
    "人生行方法同時間場所地国会社学校車両船道路水風火光音色感度温度速度重量力量点線合計算数値表裏端中心基準位置決"
    "受押引抜差込継手爪車滑子巻線磁石芯電池基板配線端子箱制御盤操作表示灯駆昇降傾斜揺動旋回"
)
KATAKANA = (
    "ーンルストラリクイドカフシレタプバアブベットグマサコキジネボパロピダモムチテナエポハオデギセニワミペケノ"
    "ヨガメソウァィェォャュョッビゲヘヒホヤユヌズザゼゴゾツヅヂヴヨヲ"
)
HALF_KANA = "ﾞｰﾝﾙｽﾄﾗｶｼﾌﾘﾊｯﾟﾀﾚｸﾌｲﾍｷﾌﾏｻｺｼﾎﾛﾋｱﾓﾑﾁﾃﾅｴｬｭｮｹｵｾﾆﾜﾐﾈﾉﾖﾒｿｳｧｨｪｫﾔﾕﾇﾂｦ"
HIRAGANA = (
    "のばしりけたいとさかめつきれるにをはてきくうえおあすせそちっなねひふへほまみむもやゆよらろわんがぎぐげご"
    "じずだでどびぶべぼぱぴ"
)
HANGUL = (
    "부품하우징베어링축기볼트너샤프크라이더레스커버모터플상좌측판고정핀와셔풀리조립실린피톤지대손잡받침브켓슬"
    "가나다마바사아자차카타파거너더러머서저처터퍼허고노도로모보소오조초코토포호구누두루무부수우주추쿠투푸후그느드르므브"
    "즈츠크트프흐기니디리미비시이지치키티피히강공관광교국권금길김남내년단담당대동등래량력련령로록료류률면명목문물민반발방"
    "배백번범법변별병보본봉북분불비사산삼상생서석선설성세소속송수순술숭습승시식신실심안암압양어업에역연열영예오온완외요용우"
    "원월위유육은을음응의인일임입자작장재전절점접정제조종좌주준중증직진질집차착참창채책천철첨청체초총최추축출충치친칠침캠케"
    "코콘크클키타탄태테텐토통튜트틀파판패펌페평포폭표품프플피필하한합항해핸향헤현형호홀홈화확환활회횡후훅힌힘날면각간갈감갑값갓"
    "개객거건걸검것게격결경계곡곤골과괴구군굴궁귀규균극근글급긴길깊꼬끝나낙난납낮너널넓네노높누눈느는능니닐다닫달도독돌된두둘뒤"
    "들디딩따때라락란랙램랭러럭런럼레렉렌렛로롤롯루룬류르른를름릴링마막만말망매맨먼멀메멈모목몸못무문물미밀및밑바박밖발"
    "밴밸버벅번벌베벤벨벽변볼봄붙브블빔빗빛뼈삭산살새색샘샌생샵석선섬섭셀셋센셉솔쇠쉬스슬습싱쌍쓰씰아안앞액앵야약양얇"
    "엔엘엠여옆열와왼용웨윗윙유율은음읍이익있잠장재쟁저적전젠젤조존종죔죠줄쥐즈진짜착찬찰챔척체촉출측층칭카칼캐캡커컨컬컴컵"
    "컷켓켜콜쿨킷킹탈탑탭턴텀텍텐템텔톱튼틱틴팁팅팔팬퍼펀펄펜폴표풍퓨프픽핑할함합핵행허험헬혀협혹훨휠휘흡희"
)
