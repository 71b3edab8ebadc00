// 22 short texts in many scripts, in Chinese, in Russian, and 22 that JSON has to escape: what E2's
// English leaves out.
#pragma once

#include <array>
#include <string_view>

namespace wiremark::wire {

/// Sequences of one to four bytes, some lines of one script and some of several.
inline constexpr std::array<std::string_view, 22> kScriptTexts = {
    "Привет, как дела?",
    "Поезд стоял в тумане, пока сигнал не стал зелёным.",
    "Лодка ушла в полдень с сорока пассажирами, двумя лошадьми и одним роялем",
    "На последней странице ничего не было, и её написали заново",
    "你好，你在吗？",
    "火车在雾中等待，直到信号灯变成绿色。",
    "每天早晨面包师都在窗台上为那只从不来的狐狸留一条面包",
    "地图是凭记忆画的，所以河流就在老人最喜欢的地方流过。",
    "雪が道の標識をおおったので、村の人は匂いで道を教える。",
    "時計が二つあり、一分ずれている。家族はどちらも残している。",
    "마지막 쪽이 없어서 그들은 다른 쪽을 썼다.",
    "ฝนตกบนหลังคาสังกะสีทำให้ทั้งหมู่บ้านตื่นอยู่ทั้งวัน",
    "สะพานในหุบเขานี้ไม่มีถนน",
    "हर सुबह खिड़की पर एक रोटी रखी जाती है",
    "القطار ينتظر في الضباب حتى تصبح الإشارة خضراء",
    "Η τελευταία σελίδα έλειπε, έτσι έγραψαν άλλη",
    "Über dem Fluss hängt schöner grauer Nebel, und die Fähre fährt trotzdem.",
    "Où est passée la clé du château? À côté de l'été dernier, évidemment.",
    "🚂 в тумане 🌫️ until the signal is 🟢",
    "👋🏽 hello, 你好, привет, สวัสดี, γειά 🎉🎉",
    "😀😃😄😁😆😅🤣😂🙂🙃😉😊",
    "Order 4711: 3 × naïve café au lait → 13,50 €",
};

/// 21 to 108 bytes, 64.6 on average; sequences of three bytes, a few digits.
inline constexpr std::array<std::string_view, 22> kChineseTexts = {
    "2026年3月14日 网关：第884号会话已打开，检查了三条规则，没有被拒绝的。",
    "你好，你在吗？",
    "水壶开了，灯亮着，谁也不着急。",
    "渡船中午离开码头，载着四十名乘客、两匹马和一架没人愿意搬的钢琴。",
    "她把通往灯塔的台阶数了两遍，得到两个答案。",
    "铁皮屋顶上的雨声让整个村子一天都没有睡着。",
    "包裹里什么都没有坏，除了冬天以前送到的那个诺言。",
    "地图是凭记忆画的，所以河流就在老人最喜欢的地方流过。",
    "每天早晨面包师都在窗台上为那只从不来的狐狸留一条面包。",
    "大厅里的两只钟相差一分钟，家里人把两只都留着。",
    "火车在雾中等待，直到信号灯变成绿色。",
    "档案馆里有九十箱信，几乎每一封的第一行都在问天气。",
    "请带一件外套、一支铅笔和那本蓝色的笔记本，其余的都能在花园的小屋里找到。",
    "沙子堵住了门口，猫睡在沙丘上。",
    "雪盖住了路牌，村里的人靠气味指路。",
    "最后一页不见了，所以他们写了另一页。",
    "山谷里有一座桥，却没有通往它的路。",
    "他把钥匙放在老地方，可是那个地方已经不在了。",
    "图书馆每到星期四就关门，没有人记得是为什么。",
    "风把报纸吹到了屋顶上，于是乌鸦先读到了新闻。",
    "孩子们用粉笔在广场上画了一片海，下雨以后它真的来了。",
    "晚安，明天见。",
};

/// 17 to 132 bytes, 100.2 on average; sequences of two bytes among spaces.
inline constexpr std::array<std::string_view, 22> kRussianTexts = {
    "Сеанс 884 открыт с адреса 10.4.17.202, проверено 3 правила, отказов нет",
    "Привет, как дела?",
    "Чайник кипит, лампа горит, и никто никуда не спешит.",
    "Лодка ушла в полдень с сорока пассажирами, двумя лошадьми и одним роялем",
    "Она дважды сосчитала ступени маяка и получила два ответа",
    "Дождь по железной крыше весь день не давал деревне уснуть",
    "В посылке ничего не разбилось, кроме обещания доставить её до зимы",
    "Карту рисовали по памяти, и река течёт там, где любил сидеть старик",
    "Каждое утро пекарь оставляет на окне хлеб для лисы, которая не приходит",
    "Двое часов в зале спорят на минуту, и семья бережёт и те и другие.",
    "Поезд стоял в тумане, пока сигнал не стал зелёным.",
    "В архиве девяносто коробок писем, и почти все начинаются с погоды",
    "Возьмите пальто, карандаш и синюю тетрадь; остальное есть в сарае",
    "Песок засыпал дверь, и кошка спит на дюне",
    "Снег закрыл указатели, и дорогу здесь объясняют по запаху",
    "На последней странице ничего не было, и её написали заново",
    "В долине есть мост, но нет дороги, которая к нему ведёт",
    "Он положил ключ на старое место, но места больше нет",
    "По четвергам библиотека закрыта, и никто не помнит почему",
    "Ветер унёс газету на крышу, и новости первой узнала ворона",
    "Дети нарисовали на площади море, и после дождя оно пришло",
    "До завтра",
};

/// The first third escapes a newline, a quote, a tab or a backslash; the rest are beyond ASCII too,
/// which writers of pure ASCII escape as \uXXXX and as surrogate pairs.
inline constexpr std::array<std::string_view, 22> kEscapeTexts = {
    "first line\nsecond line\nthird line",
    "She said \"two\", and he heard \"three\".",
    "C:\\fog\\train\\signal.txt",
    "name\tprice\tstock\nfox\t12\t3\n",
    "The archive holds ninety boxes of letters, and each begins with \"Dear weather\"",
    "GET /lighthouse HTTP/1.1\r\nHost: pier\r\nAccept: */*\r\n\r\n",
    "One newline at the end of a line of text that is otherwise as plain as any other is\n",
    "Поезд стоял в тумане",
    "На последней странице ничего не было",
    "火车在雾中等待，直到信号灯变成绿色。",
    "雪が道の標識をおおった",
    "마지막 쪽이 없어서 다른 쪽을 썼다",
    "สะพานในหุบเขานี้ไม่มีถนน",
    "Η τελευταία σελίδα έλειπε",
    "Über dem Fluss hängt schöner grauer Nebel, und die Fähre fährt trotzdem.",
    "The train is late by 5 minutes – or so the café's clock says, naïvely",
    "a price of 13,50 € for three boxes of letters about the weather, and 2 £ for the stamps",
    "🚂 in the fog 🌫️ until the signal is 🟢",
    "😀😃😄😁😆😅🤣😂🙂🙃😉😊",
    "she said: \"привет\" 👋\nhe said: \"你好\" 👋🏽\n",
    "A ferry left the pier at noon with forty passengers, two horses 🐴🐴 and a piano 🎹",
    "{\"answer\": 42, \"question\": \"lost ✓\"}",
};

}  // namespace wiremark::wire
