import ipaddr from "ipaddr.js";
import type { PersonalKind } from "../../../../settings/option/guardrails.ts";
import { byExpression, type Detector } from "../detect/detector.ts";
import {
  digitsOf,
  isBrazilianId,
  isChineseId,
  isFrenchId,
  isGermanTaxId,
  isIndianId,
  isItalianId,
  isKoreanId,
  isNhsNumber,
  isPolishId,
  isSpanishId,
  isSwedishId,
  isTurkishId,
  passesLuhn,
} from "./checksums.ts";
import { ibanDetector } from "./iban.ts";

/** Text without so many digits close to each other has no number of these kinds. */
const DIGITS = /\d(?:[^\d\n]{0,3}\d){6}/;
const DIGIT = /\d/;
const ID_DIGITS = /\d(?:[^\d\n]{0,3}\d){4}/;

const email = byExpression(
  "EMAIL",
  /[\p{L}\p{N}._%+'-]{1,64}@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,62})\.){1,8}\p{L}{2,24}/gu,
  { reach: 640, hint: "@" },
);

const hasPhoneLength = (text: string): boolean => {
  const { length } = digitsOf(text);
  return length >= 8 && length <= 15;
};

/** International, North American, Chinese and other national forms. */
const phones = [
  byExpression("PHONE", /(?<![\p{L}\p{N}.+])(?:\+|00)[1-9]\d{0,2}(?:[ .\-/]?\(?\d{1,6}\)?){2,6}(?![\p{L}\p{N}])/gu, {
    reach: 64,
    hint: DIGITS,
    isOne: hasPhoneLength,
    trims: true,
  }),
  byExpression("PHONE", /(?<![\p{N}.-])(?:\(\d{3}\) ?|\d{3}[-.])\d{3}[-.]\d{4}(?![\p{N}-])/gu, {
    reach: 16,
    hint: DIGITS,
  }),
  byExpression("PHONE", /(?<![\p{N}.])(?:86[- ]?)?1[3-9]\d(?:[- ]?\d{4}){2}(?![\p{N}])/gu, { reach: 20, hint: DIGITS }),
  byExpression(
    "PHONE",
    /(?<![\p{L}\p{N}.])(?:\(0[1-9]\d{1,4}\)|0[1-9]\d{1,4})[ /-]\d{2,8}(?:[ -]\d{2,5}){0,4}(?![\p{N}])/gu,
    { reach: 48, hint: DIGITS, isOne: hasPhoneLength, trims: true },
  ),
  byExpression("PHONE", /(?<![\p{L}\p{N}.])0[1-9](?:[ .-]\d{2}){4}(?![\p{N}])/gu, { reach: 16, hint: DIGITS }),
];

/** Numbers of the card schemes, with Luhn's digit. */
const card = byExpression("CARD", /(?<![\p{L}\p{N}.])[2-6]\d{3}(?:[ -]?\d){8,15}(?![\p{L}\p{N}])/gu, {
  reach: 48,
  hint: DIGITS,
  trims: true,
  isOne: (text) => digitsOf(text).length >= 13 && passesLuhn(text),
});

const nationalId = (expression: RegExp, isOne?: (text: string) => boolean): Detector =>
  byExpression("NATIONAL_ID", expression, { reach: 40, hint: ID_DIGITS, ...(isOne && { isOne }) });

/** Numbers of states with check digits; those of the United States and the United Kingdom's insurance have a form only. */
const nationalIds = [
  nationalId(/(?<![\p{L}\p{N}])\d{17}[\dXx](?![\p{L}\p{N}])/gu, isChineseId),
  nationalId(/(?<![\p{N}-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\p{N}-])/gu),
  nationalId(/(?<![\p{L}\p{N}])(?:\d{11}|\d{2} \d{3} \d{3} \d{3})(?![\p{L}\p{N}])/gu, isGermanTaxId),
  nationalId(/(?<![\p{L}\p{N}])(?:\d{8}|[XYZxyz]-?\d{7})-?[A-Za-z](?![\p{L}\p{N}])/gu, isSpanishId),
  nationalId(
    /(?<![\p{L}\p{N}])[A-Za-z]{6}\d{2}[A-EHLMPRSTa-ehlmprst]\d{2}[A-Za-z]\d{3}[A-Za-z](?![\p{L}\p{N}])/gu,
    isItalianId,
  ),
  nationalId(
    /(?<![\p{L}\p{N}])[12] ?\d{2} ?(?:0[1-9]|1[0-2]) ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2}(?![\p{L}\p{N}])/gu,
    isFrenchId,
  ),
  nationalId(/(?<![\p{L}\p{N}])(?:\d{3}\.\d{3}\.\d{3}-\d{2}|\d{11})(?![\p{L}\p{N}])/gu, isBrazilianId),
  nationalId(/(?<![\p{L}\p{N}])\d{11}(?![\p{L}\p{N}])/gu, (text) => isPolishId(text) || isTurkishId(text)),
  nationalId(/(?<![\p{L}\p{N}])\d{6}-[1-8]\d{6}(?![\p{L}\p{N}])/gu, isKoreanId),
  nationalId(/(?<![\p{L}\p{N}])\d{4} \d{4} \d{4}(?![\p{L}\p{N}]| \d{4})/gu, isIndianId),
  nationalId(/(?<![\p{L}\p{N}])(?:19|20)?\d{6}[-+]\d{4}(?![\p{L}\p{N}])/gu, isSwedishId),
  nationalId(/(?<![\p{L}\p{N}])\d{3} \d{3} \d{4}(?![\p{L}\p{N}])/gu, isNhsNumber),
  nationalId(
    /(?<![\p{L}\p{N}])(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D](?![\p{L}\p{N}])/gu,
  ),
];

const addresses = [
  byExpression("IP", /(?<![\p{L}\p{N}.])(?:\d{1,3}\.){3}\d{1,3}(?![\p{L}\p{N}]|\.\d)/gu, {
    reach: 16,
    hint: DIGIT,
    isOne: (text) => text.split(".").every((part) => Number(part) < 256 && !/^0\d/.test(part)),
  }),
  byExpression("IP", /(?<![\p{L}\p{N}:.])[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}(?![\p{L}\p{N}:])/gu, {
    reach: 48,
    hint: ":",
    isOne: (text) => digitsOf(text).length >= 2 && ipaddr.IPv6.isValid(text),
  }),
];

const DETECTORS: Readonly<Record<PersonalKind, readonly Detector[]>> = {
  email: [email],
  phone: phones,
  card: [card],
  iban: [ibanDetector],
  national_id: nationalIds,
  ip: addresses,
};

/** Finds personal data of these kinds. The kinds with check digits come first: where two match alike, the first counts. */
export const personalDetectors = (kinds: readonly PersonalKind[]): readonly Detector[] =>
  ORDER.filter((kind) => kinds.includes(kind)).flatMap((kind) => DETECTORS[kind]);

const ORDER: readonly PersonalKind[] = ["email", "iban", "card", "national_id", "phone", "ip"];
