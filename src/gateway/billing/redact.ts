import type { SensitiveWords } from "../../settings/sensitive-words.ts";

/** What is taken out of texts before they are kept, and what stands in its place. */
const KINDS: readonly (readonly [pattern: RegExp, mark: string, isOne?: (text: string) => boolean])[] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, "[private key]"],
  [/\bBearer\s+[A-Za-z0-9._~+/-]{16,}=*/gi, "Bearer [key]"],
  [
    /\b(?:(?:sk|pk|rk|whsec|ghp|gho|ghs|ghu|github_pat|glpat|hf|xox[abprs])[-_]|AKIA|ASIA|AIza)[A-Za-z0-9_-]{12,}/g,
    "[key]",
  ],
  [/\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g, "[token]"],
  [/(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,}/gu, "[email]"],
  [/(?<![\dA-Za-z])\d{17}[\dXx](?![\dA-Za-z])/g, "[identity number]", isIdentityNumber],
  [/(?<![\d.])\+\d{1,3}(?:[ -]?\d){7,12}(?!\d)/g, "[phone]"],
  [/(?<!\d)\d(?:[ -]?\d){12,18}(?!\d)/g, "[card]", isCard],
  [/(?<![\d.])(?:86[- ]?)?1[3-9]\d(?:[- ]?\d{4}){2}(?!\d)/g, "[phone]"],
];

const OWN_MARK = "[redacted]";

/**
 * Text without keys, tokens, mail addresses, card, identity and phone numbers, and without what the site's own words and
 * patterns name.
 */
export function redact(text: string, own: SensitiveWords): string {
  let clean = text;
  for (const [pattern, mark, isOne] of KINDS) {
    clean = clean.replace(pattern, (found) => (isOne && !isOne(found) ? found : mark));
  }
  for (const word of own.words) clean = clean.replaceAll(new RegExp(RegExp.escape(word), "gi"), OWN_MARK);
  for (const pattern of own.patterns) clean = pattern.replaceAll(clean, OWN_MARK);
  return clean;
}

/** By Luhn's check digit: other long numbers stay. */
function isCard(text: string): boolean {
  const digits = text.replace(/\D/g, "");
  let sum = 0;
  for (let at = 0; at < digits.length; at += 1) {
    const digit = Number(digits[digits.length - 1 - at]);
    const doubled = digit * 2;
    sum += at % 2 === 0 ? digit : doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

const WEIGHTS = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];
const CHECKS = "10X98765432";

/** By the check digit of Chinese identity numbers (GB 11643). */
function isIdentityNumber(text: string): boolean {
  const sum = WEIGHTS.reduce((total, weight, at) => total + weight * Number(text[at]), 0);
  return CHECKS[sum % 11] === text[17]?.toUpperCase();
}
