/** The digits of a text. */
export const digitsOf = (text: string): string => text.replace(/\D/g, "");

/** The digit of a text at a place. */
const at = (digits: string, index: number): number => digits.charCodeAt(index) - 48;

const weighted = (digits: string, weights: readonly number[]): number =>
  weights.reduce((sum, weight, index) => sum + weight * at(digits, index), 0);

/** Luhn's check digit (ISO/IEC 7812-1). */
export function passesLuhn(text: string): boolean {
  const digits = digitsOf(text);
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const digit = at(digits, digits.length - 1 - index);
    const doubled = digit * 2;
    sum += index % 2 === 0 ? digit : doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** The remainder of a number of any length, with letters as 10 to 35 (ISO 7064). */
export function remainder97(text: string): number {
  let rest = 0;
  for (const char of text) {
    const value = Number.parseInt(char, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest;
}

const CHINESE_WEIGHTS = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];

/** The check digit of Chinese identity numbers (GB 11643). */
export const isChineseId = (text: string): boolean =>
  "10X98765432"[weighted(text, CHINESE_WEIGHTS) % 11] === text[17]?.toUpperCase();

/** Germany's tax number: one of the first ten digits stands there two or three times, and ISO 7064's MOD 11,10. */
export function isGermanTaxId(text: string): boolean {
  const digits = digitsOf(text);
  if (digits.length !== 11 || digits[0] === "0") return false;
  const counts = Map.groupBy(digits.slice(0, 10), (digit) => digit);
  const repeated = [...counts.values()].filter((same) => same.length > 1);
  if (repeated.length !== 1 || (repeated[0]?.length ?? 0) > 3) return false;
  let product = 10;
  for (let index = 0; index < 10; index += 1) {
    const sum = (at(digits, index) + product) % 10 || 10;
    product = (sum * 2) % 11;
  }
  return (11 - product) % 10 === at(digits, 10);
}

/** Spain's DNI and NIE: the letter by the number's remainder. */
export function isSpanishId(text: string): boolean {
  const plain = text.replace(/[ -]/g, "").toUpperCase();
  const number = plain.slice(0, -1).replace(/^[XYZ]/, (letter) => String("XYZ".indexOf(letter)));
  return "TRWAGMYFPDXBNJZSQVHLCKE"[Number(number) % 23] === plain.at(-1);
}

const ODD = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];

/** Italy's codice fiscale: the letter at its end. */
export function isItalianId(text: string): boolean {
  const code = text.toUpperCase();
  let sum = 0;
  for (let index = 0; index < 15; index += 1) {
    const char = code.charAt(index);
    const value = /\d/.test(char) ? Number(char) : char.charCodeAt(0) - 65;
    sum += index % 2 === 0 ? (ODD[value] ?? 0) : value;
  }
  return String.fromCharCode(65 + (sum % 26)) === code.charAt(15);
}

/** France's social security number: the key is 97 less the remainder; Corsica's letters count as numbers. */
export function isFrenchId(text: string): boolean {
  const plain = text.replace(/\s/g, "").toUpperCase();
  const number = plain.slice(0, 13).replace("2A", "19").replace("2B", "18");
  return /^\d{13}$/.test(number) && 97 - remainder97(number) === Number(plain.slice(13));
}

/** Brazil's CPF: two check digits. */
export function isBrazilianId(text: string): boolean {
  const digits = digitsOf(text);
  if (digits.length !== 11 || /^(\d)\1*$/.test(digits)) return false;
  const check = (length: number): boolean => {
    const weights = Array.from({ length }, (_, index) => length + 1 - index);
    return ((weighted(digits, weights) * 10) % 11) % 10 === at(digits, length);
  };
  return check(9) && check(10);
}

const PESEL_WEIGHTS = [1, 3, 7, 9, 1, 3, 7, 9, 1, 3];

/** Poland's PESEL: a date and a check digit. */
export function isPolishId(text: string): boolean {
  const month = Number(text.slice(2, 4)) % 20;
  const day = Number(text.slice(4, 6));
  if (month < 1 || month > 12 || day < 1 || day > 31) return false;
  return (10 - (weighted(text, PESEL_WEIGHTS) % 10)) % 10 === at(text, 10);
}

/** Turkey's number: the tenth and the eleventh digit follow from the others. */
export function isTurkishId(text: string): boolean {
  if (text[0] === "0") return false;
  const odd = weighted(text, [1, 0, 1, 0, 1, 0, 1, 0, 1]);
  const even = weighted(text, [0, 1, 0, 1, 0, 1, 0, 1]);
  const tenth = (((odd * 7 - even) % 10) + 10) % 10;
  return tenth === at(text, 9) && (odd + even + tenth) % 10 === at(text, 10);
}

const KOREAN_WEIGHTS = [2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5];

/** Korea's resident number. */
export function isKoreanId(text: string): boolean {
  const digits = digitsOf(text);
  const month = Number(digits.slice(2, 4));
  if (digits.length !== 13 || month < 1 || month > 12) return false;
  return (11 - (weighted(digits, KOREAN_WEIGHTS) % 11)) % 10 === at(digits, 12);
}

const VERHOEFF = "0123456789123406789523401789563401289567401239567859876043216598710432765982104387659321049876543210";
const PERMUTED = "01234567891576283094580379614289160435279453126870428657390127938064157046913258";

/** India's Aadhaar: Verhoeff's check digit; none begins with 0 or 1. */
export function isIndianId(text: string): boolean {
  const digits = digitsOf(text);
  if (digits.length !== 12 || /^[01]/.test(digits)) return false;
  let check = 0;
  for (let index = 0; index < 12; index += 1) {
    const permuted = at(PERMUTED, (index % 8) * 10 + at(digits, 11 - index));
    check = at(VERHOEFF, check * 10 + permuted);
  }
  return check === 0;
}

/** Sweden's personal number: Luhn over its last ten digits, and a date. */
export function isSwedishId(text: string): boolean {
  const digits = digitsOf(text).slice(-10);
  const [month, day] = [Number(digits.slice(2, 4)), Number(digits.slice(4, 6)) % 60];
  return month >= 1 && month <= 12 && day >= 1 && day <= 31 && passesLuhn(digits);
}

/** The United Kingdom's NHS number: MOD 11. */
export function isNhsNumber(text: string): boolean {
  const digits = digitsOf(text);
  const check = 11 - (weighted(digits, [10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11);
  return digits.length === 10 && check !== 10 && check % 11 === at(digits, 9);
}
