"""Words that demand something be done: for each what it demands, told apart from names of columns
by who looks for them.
"""

from __future__ import annotations

import re

from backends.planning.times import COUNT

# What a request demands, and the interfaces, aggregates and signs of which one has to be there.
# "=value": one number comes out; "how:x": an aggregate; "sign:x": of what is computed.
DEMANDS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    (
        "share",
        r"\bshares? of\b|\bwhat (?:share|percent(?:age)?|proportion|fraction|part) of\b|\b(?:percent(?:age)?|proportion|fraction) of\b|\bas a percent(?:age)?\b|占比|比重|占[^,，。]{0,14}(?:百分之|比例|多少|几成|%)|份额|百分之[几多]|百分比",
        (
            "share",
            "sign:/",
            "change",
            "growth",
            "returns",
            "total_return",
            "loop_rank",
            "difference",
            "between",
        ),
    ),
    (
        "ratio",
        r"\bdivided by\b|\bratio\b|除以|之比|比值|比率|人均|\bper capita\b|\bper (?:head|person|employee|unit|kilo(?:gram|metre|meter)?|kg|km|ton(?:ne)?|hectare|million|thousand|hundred|square|litre|[a-z]*-?hour|dollar|euro|yuan)\b",
        ("sign:/", "share", "between"),
    ),
    (
        "difference",
        rf"\bminus\b|\bdifference\b|\bspread\b|\bgap\b|\bsubtract(?:ed|ing)?\b|\b(?:higher|lower|more|less|fewer|larger|smaller|bigger|warmer|colder|longer|shorter)\b[^,.;?]{{0,45}}? than\b(?! (?:{COUNT}|\d|-))|减去|减(?!少)|之差|差[值额距]|价差|温差|相差|(?:多|高|低|少|大|小|贵|便宜)(?:出)?(?:了)?(?:多少|几)|差多少|极差",
        ("sign:-", "growth", "change", "difference", "between"),
    ),
    (
        "product",
        r"\bmultipl(?:y|ied)\b|(?<!how many )(?<!many )\btimes (?:the|its|volume|price)\b|相乘|乘以|乘积",
        ("sign:*",),
    ),
    (
        "change",
        r"\bgrew\b|\bgrow(?:n|th)?\b|\bgain(?:s|ed)?\b|\b(?:rise|rises|rose|risen|rising)\b|\b(?:fall|fell|fallen|falling)\b|\bdrop(?:s|ped)?\b|\b(?:in|de)creas(?:e|es|ed|ing)\b|\bdeclin(?:e|es|ed)\b|\bchange[ds]?\b|\byear[- ]o(?:n|ver)[- ]year\b|\byoy\b|同比|环比|增长|增速|增幅|增加了?|减少了?|涨|跌|下降|下滑|上升|升幅|降幅|变动|变化(?!情况|趋势|曲线|走势)",
        (
            "growth",
            "change",
            "returns",
            "total_return",
            "loop_rank",
            "difference",
            "between",
            "sign:-",
            "returned",
        ),
    ),
    (
        "return",
        r"\breturn(?:s|ed)?\b|收益率|回报率?|赚",
        ("growth", "change", "returns", "total_return", "loop_rank", "difference", "returned"),
    ),
    (
        "running",
        r"\brunning\b|\bcumulat(?:ive|ively|ed|e)\b|\baccumulat\w+|累加|逐[日月季年周]?(?:累|加)|\btally\b|\b(?:runs?|builds?|piles?) up\b",
        ("cumulate", "returns"),
    ),
    ("runs", r"累计|累积", ("cumulate", "returns", "=value", "growth", "how:sum", "group")),
    (
        "window",
        r"\bmoving[- ](?:average|mean)|\brolling\b|移动平均|移动均|滚动|均线|(?:\d+|[五十二三六]+)[日天周]均[值线]?",
        ("rolling", "technical"),
    ),
    ("correlation", r"\bcorrelat\w*|相关(?:系数|性|度|关系)?", ("correlation", "correlations")),
    ("forecast", r"\bforecast\w*|\bpredict\w*|\bextrapolat\w*|预测|预估|外推", ("forecast",)),
    (
        "ahead",
        r"\bproject(?:ed|ion|ions)?\b|\bcoming\b|\bnext\b|\bahead\b|\bexpect\w*|未来|接下来|往后|今后|剩下|下[个一]?(?:月|季|年)",
        ("",),
    ),
    (
        "sum",
        r"\btotals?\b|\bsum(?:s|med)?\b|\badd(?:ed|ing)? (?:it |them |these |those |all )?up\b|合计|总计|总和|求和|加总|总(?=[\0额量数的])|一共|总共",
        (
            "how:sum",
            "how:count",
            "cumulate",
            "forecast",
            "share",
            "difference",
            "between",
            "distinct",
            "how:max",
            "how:last",
        ),
    ),
    ("median", r"\bmedians?\b|中位数|中位值|中值", ("how:median",)),
    (
        "mean",
        r"\baverages?\b|\baveraged\b|\bmeans?\b(?! by| that)|\bavg\b|平均|均值|[日月周季年]均",
        ("how:mean", "rolling", "technical", "sign:/", "returned"),
    ),
    (
        "count",
        r"\bhow many (?:different |separate )?(?!percent|point|times as|more\b|less\b|fewer\b)|\bnumber of\b|\bcounts?(?: of)?\b|(?<!哪)(?:几|多少)(?:只|个|家|支|名|位|种|项|条|笔|座|款|台|辆|场|天|次)(?!月|百分)|次数|天数|[个家座台店只]数|数量",
        ("how:count", "distinct", "counted"),
    ),
    (
        "pivot",
        r"\bpivot\b|\bcross[- ]?tab\w*|透视|交叉表|(?:行|列)(?:放|是|为)|(?:做|作|放|为|当)[在成]?[行列]|\b(?:as|in(?:to)?) (?:rows|columns)\b|\b(?:rows|columns)(?: are(?! there)|:)|\b(?:down|across) the (?:side|top)\b|\bone (?:row|column) (?:per|for)\b|\b[a-z\0]+[- ]by[- ][a-z\0]+ (?:table|grid|matrix)\b|[占各]一[行列]|一[行列]一个|(?:\(|（)(?:行|列|rows?|columns?)|\bside by side\b|并排|并列",
        ("pivot",),
    ),
)
FORMS: dict[str, re.Pattern[str]] = {
    "pie": re.compile(r"\bpie\b|饼图"),
    "scatter": re.compile(r"\bscatter\b|散点"),
    "candlestick": re.compile(r"\bcandle\w*|k\s?线|蜡烛"),
    "line": re.compile(r"\bline (?:chart|graph|plot)\b|\blines?\b|折线|曲线|条线"),
    "bar": re.compile(r"\bbars?(?: chart)?\b|柱状|柱形|柱子|条形"),
}
INDICATORS = re.compile(r"(?<![a-z])(macd|kdj|rsi|boll|cci)(?![a-z])|布林|bollinger")
# What no interface does: wherever it is said, and no column is called so, an answer leaves it out.
NEVER = re.compile(
    r"\bstandard deviations?\b(?!"
    r" band)|\bstd(?:ev)?\b|\bvolatil\w+|\bvariance\b|\bdraw-?downs?\b|\bpercentiles?\b|\bquantiles?\b|\bquartiles?\b|\bsharpe\b|\bbeta\b|\bstreaks?\b|\bconsecutive\b|\bin"
    r" a row\b|\bnormali[sz]ed?\b|\brebased?\b|\bindexed to\b|\bcross(?:es|ed|ing)?"
    r" (?:above|below|over|under)?|\bcagr\b|\bcompound(?:ed)?\b|\bannuali[sz]ed\b|\bhistogram\b|\bheat"
    r" ?map\b|\bregress\w*|\bslope\b|\boutliers?\b|\bweighted\b|\bday of the"
    r" week\b|\bweekdays?\b|\bweekends?\b|\bmondays?\b|\btuesdays?\b|\bwednesdays?\b|\bthursdays?\b|\bfridays?\b|\bsaturdays?\b|\bsundays?\b|\brank"
    r" correlation\b|\bspearman\b|\bmode\b(?="
    r" of)|\bboth\b.{0,60}\band\b.{0,30}\b(?:above|below|over|under|rose|fell)\b"
    r"|波动率|标准差|方差|回撤|分位|夏普|连续|连涨|连跌|归一|穿越|上穿|下穿|金叉|死叉|加权|年化|年均增[速长]|复合增?|直方|箱线|热力|回归|斜率|异常值|周末|工作日|(?:超过|高于|低于|大于|小于|不到|不足|高出)[^,，"
    r"。0-9]{0,8}(?:平均|均值)|\b(?:above|below|over|under|than) (?:the |its |their |that"
    r" )?(?:[a-z]+ )?(?:average|mean|median)\b|星期[一二三四五六日天]|周[一二三四五六日](?!期)|众数"
)
HIGH = r"highest|largest|biggest|most|best|busiest|strongest|longest|hottest|warmest|wettest|windiest|fastest|greatest|richest|top|heaviest|sharpest|steepest|priciest|dearest|tallest|oldest"
LOW = r"lowest|smallest|worst|least|fewest|weakest|quietest|shortest|coldest|coolest|driest|slowest|poorest|cheapest|bottom|lightest|mildest"
SOUGHT = re.compile(
    rf"\b(?:{HIGH}|{LOW})\b|\bmost"
    r" expensive\b|最(?:[高低大小多少好差快慢强弱长短热冷狠惨猛贵便重轻]|严重)|\brank(?:ed|ing|s)?\b|\bsort(?:ed)?\b|\b(?:high|low|large|small)(?:est)?"
    r" to"
    r" (?:low|high|small|large)|排[名序列]|排个|排一?下|[高低多少大小快慢贵好差]的(?:放|排)?在?最?前|[高低大小多少]到[高低大小多少]|[从由][高低大小多少长短快慢贵好早晚]到|降序|升序|谁[多高大快强]谁在?前"
)
NTH = re.compile(
    rf"\b(?:top|bottom|last|first) (?P<a>{COUNT})\b(?! (?:trading |business |calendar"
    rf" )?(?:days?|weeks?|months?|quarters?|years?|sessions?)\b)|\b(?P<b>{COUNT})"
    rf" (?:{HIGH}|{LOW})\b|\b(?:{HIGH}|{LOW}) (?P<c>{COUNT})\b|\bwhich (?P<d>{COUNT})\b|\bthe"
    rf" (?P<h>{COUNT}) with the (?:{HIGH}|{LOW})\b|\bthe (?P<g>{COUNT}) (?:[a-z\0-]+"
    rf" ){{1,3}}(?:with|that|of)\b[^.]{{0,30}}\b(?:{HIGH}|{LOW})\b|(?:排名|排)?前(?P<e>{COUNT})(?=[\u3400-\u9fff])(?!个?[月年周天日季])|(?:最[高低大小多少好差快慢强热冷]的?|(?<!最)后|倒数)(?P<f>{COUNT})(?=名|只|个|家|位|条|种|座|款|支|天|日|周|年|省|市|大|店|笔|场|次|季|月|单)"
)
POOLED = re.compile(
    r"\btogether\b(?! with)|\bcombined\b|\baltogether\b|\bjointly\b|\bin"
    r" total\b|\boverall\b|\bacross all\b|\bof all\b|\bover all\b|\ball (?:the"
    r" )?[a-z]+s\b|一共|加起来|总共|合起来|之和|加总|合计|全部|所有|[两二三四五六七八九十]+(?:[家个种只座款支省市店]|条(?!折|曲|线))"
)
ONE_ASKED = re.compile(
    r"\bhow (?:many|much)\b|\bwhat (?:is|was)\b|\bwhat (?:were|are) the\b|\bone number\b|\bsingle"
    r" (?:number|figure)\b|是多少|有多少|多少|一共|总共|百分之几|占几成|有几[天个次]"
)
SERIES_ASKED = re.compile(
    r"\btrends?\b|\bover time\b|\bcurves?\b|\bseries\b|\b(?:month|day|week|quarter|year)[-"
    r" ](?:by|after)[- ](?:month|day|week|quarter|year)\b|走势|趋势|曲线|逐[日月季年周]|序列"
)
EACH = re.compile(
    r"\b(?:each|every)\b|各(?!种各样|位|级)|每(?!股|亩|平)|分别|一[^一,，]{1,2}一个?数"
)
FIRST_DATED = re.compile(
    r"[一二三四五六七八九十]{1,2}月份?(?![一二三四五六七八九十]*均)|上半年|下半年|\bfirst"
    r" half\b|\bsecond half\b"
)
DRAWN = re.compile(r"\bplot(?:s|ted)?\b|\bdraw(?:n)?\b|\bcharts?\b|\bgraphs?\b|画|图")
RANGED = re.compile(
    r"\b(?:over|during|in|for) the (?:last|past)\b|\bsince\b|最近|近[\d一二三四五六七八九十两半]|以来"
)
SUMMED_UP = re.compile(
    r"\b(?:sum|add|total) (?:it|them|these|those|that) (?:all )?up\b|再求和|最后加总|加起来是"
)
TABLE = re.compile(
    r"(?<!in the )(?<!of the )(?<!in this )(?<!in that )\btable\b|\blist(?:ed)?\b|表格|列表|列出|清单"
)
# "those that fell": a condition on a change, which has to be a condition of the plan
ONLY_CHANGED = re.compile(
    r"(?:下降|上升|增长|上涨|下跌|为负|为正|亏损|盈利|转正|转负|减少|增加)了?的(?!幅度|百分|最|速度|比)|\b(?:that|which|who|whose"
    r" [a-z ]{1,30}?) (?:rose|fell|grew|declined|increased|decreased|dropped|gained|lost|shrank)\b"
)
ENDS = re.compile(
    r"\bend of"
    r" (?:19|20)\d\d\b|年[末底]|\bmonth-end\b|\byear-end\b|\bquarter-end\b|月[末底]|季[末底]|期末"
)
SINGLE = re.compile(
    rf"\b(?:{HIGH}|{LOW})\b|\bmost"
    r" expensive\b|最(?:[高低大小多少好差快慢强弱长短热冷狠惨猛贵便重轻]|严重)"
)
# one thing is sought, not all of its kind in order
THE_ONE = re.compile(
    r"哪一?[个家只名位座支款所种条城块台辆片间部](?![几些])|那一?[个家只名位座支款条]|告诉我.{0,4}名|叫什么|\bwho\b|\bone"
    r" (?:number|name)\b"
)
