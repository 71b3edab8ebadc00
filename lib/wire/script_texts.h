// 22 short texts in many scripts, and 22 that JSON has to escape: what E2's English leaves out.
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
