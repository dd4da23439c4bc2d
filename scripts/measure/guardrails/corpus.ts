import type { PersonalKind } from "../../../src/settings/option/guardrails.ts";
import { seededRandom } from "../../../test/support/lib/random-json.ts";

/** A line of invented text, and what of it is personal data. */
export type Line = Readonly<{
  language: string;
  text: string;
  values: readonly Readonly<{ kind: PersonalKind; text: string }>[];
}>;

/** Sentences with places for values, in twelve languages. */
const SENTENCES: Readonly<Record<string, readonly string[]>> = {
  en: [
    "Please write to {email} about order {order}.",
    "Call me at {phone} before {date}.",
    "My card {card} was charged {amount}.",
    "Pay to {iban}, reference {order}.",
    "His number is {id}, the host was {ip}.",
    "Version {version} was released on {date}.",
  ],
  de: [
    "Bitte schreib an {email} wegen Bestellung {order}.",
    "Ruf mich vor {date} unter {phone} an.",
    "Die Karte {card} wurde mit {amount} belastet.",
    "Überweise auf {iban}, Verwendungszweck {order}.",
    "Die Nummer lautet {id}, der Rechner war {ip}.",
    "Version {version} erschien am {date}.",
  ],
  fr: [
    "Écrivez à {email} au sujet de la commande {order}.",
    "Appelez-moi au {phone} avant le {date}.",
    "Ma carte {card} a été débitée de {amount}.",
    "Virement sur {iban}, référence {order}.",
    "Son numéro est {id}, le serveur était {ip}.",
    "La version {version} date du {date}.",
  ],
  es: [
    "Escribe a {email} sobre el pedido {order}.",
    "Llámame al {phone} antes del {date}.",
    "Cargaron {amount} en mi tarjeta {card}.",
    "Transfiere a {iban}, concepto {order}.",
    "Su número es {id}, el servidor era {ip}.",
    "La versión {version} salió el {date}.",
  ],
  it: [
    "Scrivi a {email} per l'ordine {order}.",
    "Chiamami al {phone} prima del {date}.",
    "Sulla carta {card} ci sono {amount}.",
    "Bonifico su {iban}, causale {order}.",
    "Il codice è {id}, il server era {ip}.",
    "La versione {version} è del {date}.",
  ],
  pt: [
    "Escreva para {email} sobre o pedido {order}.",
    "Ligue para {phone} antes de {date}.",
    "O cartão {card} foi cobrado em {amount}.",
    "Transfira para {iban}, referência {order}.",
    "O número é {id}, o servidor era {ip}.",
    "A versão {version} saiu em {date}.",
  ],
  nl: [
    "Schrijf naar {email} over bestelling {order}.",
    "Bel me op {phone} voor {date}.",
    "Mijn kaart {card} is belast met {amount}.",
    "Betaal op {iban}, kenmerk {order}.",
    "Het nummer is {id}, de host was {ip}.",
    "Versie {version} verscheen op {date}.",
  ],
  pl: [
    "Napisz do {email} w sprawie zamówienia {order}.",
    "Zadzwoń pod {phone} przed {date}.",
    "Kartę {card} obciążono kwotą {amount}.",
    "Przelej na {iban}, tytuł {order}.",
    "Numer to {id}, serwer to {ip}.",
    "Wersja {version} wyszła {date}.",
  ],
  tr: [
    "{order} siparişi için {email} adresine yazın.",
    "{date} öncesi beni {phone} numarasından arayın.",
    "{card} kartımdan {amount} çekildi.",
    "{iban} hesabına {order} açıklamasıyla ödeyin.",
    "Numarası {id}, sunucu {ip} idi.",
    "{version} sürümü {date} tarihinde çıktı.",
  ],
  ru: [
    "Напишите на {email} по заказу {order}.",
    "Позвоните мне по номеру {phone} до {date}.",
    "С карты {card} списали {amount}.",
    "Переведите на {iban}, назначение {order}.",
    "Его номер {id}, сервер был {ip}.",
    "Версия {version} вышла {date}.",
  ],
  zh: [
    "请就订单 {order} 写信到 {email} 。",
    "请在 {date} 之前拨打 {phone} 。",
    "我的卡 {card} 被扣了 {amount} 。",
    "请汇款至 {iban} ，附言 {order} 。",
    "他的号码是 {id} ，主机是 {ip} 。",
    "版本 {version} 于 {date} 发布。",
  ],
  ja: [
    "注文 {order} について {email} に書いてください。",
    "{date} までに {phone} へ電話してください。",
    "カード {card} に {amount} が請求されました。",
    "{iban} に {order} で振り込んでください。",
    "番号は {id} 、ホストは {ip} でした。",
    "バージョン {version} は {date} に出ました。",
  ],
};

const weighted = (digits: string, weights: readonly number[]): number =>
  weights.reduce((sum, weight, at) => sum + weight * Number(digits[at]), 0);

/** Generates lines: the same ones for the same seed. */
export function makeCorpus(lines: number, seed: number): readonly Line[] {
  const random = seededRandom(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const pick = <T>(list: readonly [T, ...T[]] | readonly T[]): T => list[below(list.length)] as T;
  const digits = (count: number): string => Array.from({ length: count }, () => below(10)).join("");
  const word = (length: number): string =>
    Array.from({ length }, () => pick([..."abcdefghijklmnopqrstuvwxyz"])).join("");
  const grouped = (text: string, size: number, by: string): string =>
    text.match(new RegExp(`.{1,${size}}`, "g"))?.join(by) ?? text;

  const luhnDigit = (body: string): string => {
    let sum = 0;
    for (let at = 0; at < body.length; at += 1) {
      const doubled = Number(body[body.length - 1 - at]) * (at % 2 === 0 ? 2 : 1);
      sum += doubled > 9 ? doubled - 9 : doubled;
    }
    return String((10 - (sum % 10)) % 10);
  };
  const card = (): string => {
    const body = pick(["4", "51", "55", "2221", "6011"])
      .padEnd(15, "x")
      .replace(/x/g, () => String(below(10)));
    return pick([
      (text: string) => text,
      (text: string) => grouped(text, 4, " "),
      (text: string) => grouped(text, 4, "-"),
    ])(body + luhnDigit(body));
  };
  const iban = (): string => {
    const [country, length] = pick([
      ["DE", 18],
      ["FR", 23],
      ["ES", 20],
      ["NL", 14],
      ["PL", 24],
      ["IT", 23],
    ] as const);
    const bank = country === "NL" ? `ABNA${digits(10)}` : country === "IT" ? `X${digits(22)}` : digits(length);
    const number = [...`${bank}${country}00`].map((char) => Number.parseInt(char, 36)).join("");
    const check = String(98n - (BigInt(number) % 97n)).padStart(2, "0");
    return below(2) === 0 ? country + check + bank : grouped(country + check + bank, 4, " ");
  };
  const id = (): string => {
    switch (below(5)) {
      case 0: {
        const number = digits(8);
        return number + "TRWAGMYFPDXBNJZSQVHLCKE".charAt(Number(number) % 23);
      }
      case 1:
        return `${1 + below(8)}${digits(1)}${1 + below(9)}-${1 + below(9)}${digits(1)}-${1 + below(9)}${digits(3)}`;
      case 2: {
        const body = `110105${1950 + below(50)}${String(1 + below(12)).padStart(2, "0")}${String(1 + below(28)).padStart(2, "0")}${digits(3)}`;
        return body + "10X98765432".charAt(weighted(body, [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]) % 11);
      }
      case 3: {
        const body = `${digits(2)}${String(1 + below(12)).padStart(2, "0")}${String(1 + below(28)).padStart(2, "0")}${digits(4)}`;
        return body + String((10 - (weighted(body, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3]) % 10)) % 10);
      }
      default: {
        const body = digits(9);
        const first = ((weighted(body, [10, 9, 8, 7, 6, 5, 4, 3, 2]) * 10) % 11) % 10;
        const second = ((weighted(body + first, [11, 10, 9, 8, 7, 6, 5, 4, 3, 2]) * 10) % 11) % 10;
        return `${grouped(body, 3, ".")}-${first}${second}`;
      }
    }
  };
  const phone = (): string =>
    pick([
      () => `+49 ${pick(["151", "30", "89"])} ${digits(7)}`,
      () => `+1 (${2 + below(8)}${digits(2)}) ${2 + below(8)}${digits(2)}-${digits(4)}`,
      () => `(${2 + below(8)}${digits(2)}) ${2 + below(8)}${digits(2)}-${digits(4)}`,
      () => `+33 6 ${grouped(digits(8), 2, " ")}`,
      () => `06 ${grouped(digits(8), 2, " ")}`,
      () => `1${3 + below(7)}${digits(9)}`,
      () => `+44 20 ${digits(4)} ${digits(4)}`,
      () => `0${3 + below(6)}0 ${digits(7)}`,
      // Without anything that says so, local numbers are not found.
      () => digits(7),
    ])();
  const values: Readonly<Record<PersonalKind, () => string>> = {
    email: () =>
      `${word(3 + below(6))}${pick([".", "_", "+", ""])}${word(2 + below(6))}@${word(3 + below(8))}.${pick(["com", "org", "co.uk", "de", "io"])}`,
    ...{ phone, card, iban, national_id: id },
    ip: () =>
      below(4) === 0
        ? `2001:db8::${below(9999).toString(16)}:${below(9999).toString(16)}`
        : [10, below(256), below(256), below(256)].join("."),
  };
  /** What looks like personal data and is none. */
  const others: Readonly<Record<string, () => string>> = {
    order: () =>
      pick([
        () => digits(8),
        () => `A-${digits(10)}`,
        () => `${digits(4)}-${digits(4)}`,
        () => crypto(),
        () => `4${digits(15)}`,
      ])(),
    date: () => pick(["2026-11-30", "30.11.2026", "11/30/2026", "12:30:45"]),
    amount: () => `${below(9)},${digits(3)}.${digits(2)}`,
    version: () => `${below(20)}.${below(20)}.${below(200)}`,
  };
  const crypto = (): string => `${word(3)}${digits(5)}-${digits(4)}-4${digits(3)}-a${digits(3)}-${digits(12)}`;
  const kinds: Readonly<Record<string, PersonalKind>> = { id: "national_id" };
  return Array.from({ length: lines }, (_, at): Line => {
    const languages = Object.keys(SENTENCES);
    const language = languages[at % languages.length] ?? "en";
    const found: { kind: PersonalKind; text: string }[] = [];
    const text = pick(SENTENCES[language] ?? []).replace(/\{(\w+)\}/g, (_place, slot: string) => {
      const other = others[slot];
      if (other) return other();
      const kind = kinds[slot] ?? (slot as PersonalKind);
      const value = values[kind]();
      found.push({ kind, text: value });
      return value;
    });
    return { language, text, values: found };
  });
}
