// Times the packet of codecbench with codecs of crates.io: the lines of a file as contents, hot.
// Prints a row a line: name, operation, ns of the fastest batch.
use std::borrow::Cow;
use std::hint::black_box;
use std::time::Instant;

use prost::Message;
use quick_protobuf::{BytesReader, Writer};

#[derive(serde::Serialize, serde::Deserialize)]
struct JsonPacket<'a> {
    head: i32,
    guid: i32,
    #[serde(borrow)]
    content: Cow<'a, str>,
}

#[derive(Clone, PartialEq, Message)]
struct ProstPacket {
    #[prost(int32, required, tag = "1")]
    head: i32,
    #[prost(int32, required, tag = "2")]
    guid: i32,
    #[prost(string, required, tag = "3")]
    content: String,
}

#[derive(Default)]
struct QuickPacket<'a> {
    head: i32,
    guid: i32,
    content: Cow<'a, str>,
}

impl<'a> QuickPacket<'a> {
    // What pb-rs generates.
    fn read(bytes: &'a [u8]) -> quick_protobuf::Result<Self> {
        let mut reader = BytesReader::from_bytes(bytes);
        let mut packet = Self::default();
        while !reader.is_eof() {
            match reader.next_tag(bytes)? {
                8 => packet.head = reader.read_int32(bytes)?,
                16 => packet.guid = reader.read_int32(bytes)?,
                26 => packet.content = reader.read_string(bytes).map(Cow::Borrowed)?,
                tag => reader.read_unknown(bytes, tag)?,
            }
        }
        Ok(packet)
    }

    fn write(&self, to: &mut Vec<u8>) -> quick_protobuf::Result<()> {
        let mut writer = Writer::new(to);
        writer.write_with_tag(8, |w| w.write_int32(self.head))?;
        writer.write_with_tag(16, |w| w.write_int32(self.guid))?;
        writer.write_with_tag(26, |w| w.write_string(&self.content))
    }
}

const HEAD: i32 = 567;
const GUID: i32 = 15;

/// The fastest of many batches, in ns of one call; `step` is called with each index in turn.
fn time(name: &str, op: &str, count: usize, mut step: impl FnMut(usize)) {
    let rounds = 1 + 2000 / count;
    let mut best = f64::MAX;
    for _ in 0..2000 {
        let start = Instant::now();
        for _ in 0..rounds {
            (0..count).for_each(&mut step);
        }
        let ns = start.elapsed().as_nanos() as f64;
        best = best.min(ns / (rounds * count) as f64);
    }
    println!("{name} {op} {best:.2}");
}

fn main() {
    let file = std::env::args().nth(1).expect("usage: peers FILE");
    let text = std::fs::read_to_string(file).expect("FILE is UTF-8");
    let lines: Vec<&str> = text.lines().collect();
    let json: Vec<Vec<u8>> = lines
        .iter()
        .map(|line| {
            let content = Cow::Borrowed(*line);
            sonic_rs::to_vec(&JsonPacket { head: HEAD, guid: GUID, content }).unwrap()
        })
        .collect();
    let owned: Vec<ProstPacket> = lines
        .iter()
        .map(|line| ProstPacket { head: HEAD, guid: GUID, content: line.to_string() })
        .collect();
    let wire: Vec<Vec<u8>> = owned.iter().map(|packet| packet.encode_to_vec()).collect();
    for (i, line) in lines.iter().enumerate() {
        let read = QuickPacket::read(&wire[i]).unwrap();
        assert!(read.content == *line && read.head == HEAD && read.guid == GUID);
        let read: JsonPacket = sonic_rs::from_slice(&json[i]).unwrap();
        assert!(read.content == *line && read.head == HEAD && read.guid == GUID);
        assert!(ProstPacket::decode(&wire[i][..]).unwrap() == owned[i]);
    }

    let mut to = Vec::with_capacity(1 << 20);
    time("json:sonic-rs", "decode", lines.len(), |i| {
        black_box(sonic_rs::from_slice::<JsonPacket>(black_box(&json[i])).unwrap());
    });
    time("json:sonic-rs", "encode", lines.len(), |i| {
        to.clear();
        let content = Cow::Borrowed(lines[i]);
        let packet = JsonPacket { head: HEAD, guid: GUID, content };
        sonic_rs::to_writer(&mut to, black_box(&packet)).unwrap();
        black_box(&to);
    });
    time("protobuf:quick-protobuf", "decode", lines.len(), |i| {
        black_box(QuickPacket::read(black_box(&wire[i])).unwrap());
    });
    time("protobuf:quick-protobuf", "encode", lines.len(), |i| {
        to.clear();
        let content = Cow::Borrowed(lines[i]);
        let packet = QuickPacket { head: HEAD, guid: GUID, content };
        black_box(&packet).write(&mut to).unwrap();
        black_box(&to);
    });
    time("protobuf:prost", "decode", lines.len(), |i| {
        black_box(ProstPacket::decode(black_box(&wire[i][..])).unwrap());
    });
    time("protobuf:prost", "encode", lines.len(), |i| {
        to.clear();
        black_box(&owned[i]).encode(&mut to).unwrap();
        black_box(&to);
    });
}
