import { chainStart, type Detector } from "../detect/detector.ts";
import { remainder97 } from "./checksums.ts";

/** Characters of an account number by country (SWIFT's IBAN registry). */
const LENGTHS: ReadonlyMap<string, number> = new Map(
  (
    "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 ES24 FI18 FO18 " +
    "FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 " +
    "LY25 MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 QA29 RO24 RS22 SA24 SC31 SE24 SI19 SK24 SM27 " +
    "ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20"
  )
    .split(" ")
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

/** The longest number, written in groups of four. */
const REACH = 48;

const BEGIN = /(?<![\p{L}\p{N}])[A-Za-z]{2}\d{2}(?=[ -]?[A-Za-z0-9]{2})/gu;
const ALPHANUMERIC = /[A-Za-z0-9]/;

/** Finds account numbers with their check digits (ISO 13616), with or without single blanks. */
export const ibanDetector: Detector = {
  reach: REACH,
  openFrom: (text) => chainStart(text, REACH),
  find(folded, from) {
    const text = folded.skeleton;
    BEGIN.lastIndex = from;
    for (let match = BEGIN.exec(text); match; match = BEGIN.exec(text)) {
      const end = endOf(text, match.index);
      if (end > 0 && folded.looksAs(match.index, end)) return { start: match.index, end, type: "IBAN" };
      BEGIN.lastIndex = match.index + 1;
    }
    return null;
  },
};

/** Where an account number ends that begins here; 0: there is none. */
function endOf(text: string, start: number): number {
  const length = LENGTHS.get(text.slice(start, start + 2).toUpperCase()) ?? 0;
  let plain = "";
  let at = start;
  for (; plain.length < length && at - start < REACH; at += 1) {
    const char = text.charAt(at);
    if (ALPHANUMERIC.test(char)) plain += char;
    else if ((char !== " " && char !== "-") || !ALPHANUMERIC.test(text.charAt(at - 1))) return 0;
  }
  if (length === 0 || plain.length < length || ALPHANUMERIC.test(text.charAt(at))) return 0;
  const upper = plain.toUpperCase();
  return remainder97(upper.slice(4) + upper.slice(0, 4)) === 1 ? at : 0;
}
