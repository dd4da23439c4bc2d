import { byExpression, chainStart, type Detector } from "./detector.ts";

/** No secret that is found is longer. */
const REACH = 4096;

const NOT_WORD_BEFORE = "(?<![A-Za-z0-9_-])";
const NOT_WORD_AFTER = "(?![A-Za-z0-9_-])";

/** The public shapes of keys: what they begin with, as a hint, and the complete. */
const SHAPES: readonly (readonly [hint: string, source: string])[] = [
  ["sk-", "sk-(?:proj-|svcacct-|admin-|ant-(?:api|admin)\\d\\d-|or-v1-|lf-)?[A-Za-z0-9_-]{20,240}"],
  ["A", "(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}"],
  ["AIza", "AIza[A-Za-z0-9_-]{35}"],
  ["GOCSPX-", "GOCSPX-[A-Za-z0-9_-]{28}"],
  ["ya29.", "ya29\\.[A-Za-z0-9_-]{30,400}"],
  ["gh", "gh[pousr]_[A-Za-z0-9]{36,255}"],
  ["github_pat_", "github_pat_[A-Za-z0-9_]{40,255}"],
  ["gl", "gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|oas)-[A-Za-z0-9_=-]{20,64}"],
  ["xo", "xox[abeoprs]-[A-Za-z0-9-]{10,250}"],
  ["xapp-", "xapp-\\d-[A-Za-z0-9-]{20,250}"],
  ["hooks.slack", "https://hooks\\.slack\\.com/(?:services|workflows)/[A-Za-z0-9+/]{20,120}"],
  ["_", "(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,200}"],
  ["whsec_", "whsec_[A-Za-z0-9+/=]{24,100}"],
  ["npm_", "npm_[A-Za-z0-9]{36}"],
  ["pypi-", "pypi-[A-Za-z0-9_-]{50,300}"],
  ["hf_", "hf_[A-Za-z0-9]{30,60}"],
  ["gsk_", "gsk_[A-Za-z0-9]{40,80}"],
  ["xai-", "xai-[A-Za-z0-9]{60,100}"],
  ["r8_", "r8_[A-Za-z0-9]{37,40}"],
  ["pplx-", "pplx-[A-Za-z0-9]{40,60}"],
  ["SG.", "SG\\.[A-Za-z0-9_-]{16,32}\\.[A-Za-z0-9_-]{32,64}"],
  ["key-", "key-[0-9a-f]{32}"],
  ["shp", "shp(?:at|ca|pa|ss)_[0-9A-Fa-f]{32}"],
  ["do", "do[opr]_v1_[0-9a-f]{64}"],
  ["dapi", "dapi[0-9a-f]{32}(?:-\\d)?"],
  ["hv", "hv[sb]\\.[A-Za-z0-9_-]{24,300}"],
  ["dp.", "dp\\.(?:pt|st|ct|sa|scim|audit)\\.[A-Za-z0-9]{40,50}"],
  ["lin_", "lin_(?:api|oauth)_[A-Za-z0-9]{32,64}"],
  ["ntn_", "ntn_[A-Za-z0-9]{40,60}"],
  ["fig", "fig[dou]_[A-Za-z0-9_-]{36,60}"],
  ["glsa_", "glsa_[A-Za-z0-9]{32}_[0-9A-Fa-f]{8}"],
  ["PMAK-", "PMAK-[0-9a-f]{24}-[0-9a-f]{34}"],
  ["sq0", "sq0(?:atp|csp|idp)-[A-Za-z0-9_-]{22,50}"],
  ["AGE-SECRET", "AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}"],
  [":AA", "\\d{8,10}:AA[A-Za-z0-9_-]{32,35}"],
  ["AccountKey=", "(?<=AccountKey=)[A-Za-z0-9+/]{86}=="],
  ["eyJ", "eyJ[A-Za-z0-9_-]{10,1500}\\.eyJ[A-Za-z0-9_-]{10,1500}\\.[A-Za-z0-9_-]{10,700}"],
];

const shapes = SHAPES.map(([hint, source]) =>
  byExpression("SECRET", new RegExp(`${NOT_WORD_BEFORE}${source}${NOT_WORD_AFTER}`, "gu"), { reach: REACH, hint }),
);

/** A password inside an address: `postgres://user:password@host`. */
const inAddress = byExpression("SECRET", /(?<=:\/\/[^\s/:@"'<>]{1,40}:)[^\s/:@"'<>]{4,200}(?=@[\p{L}\p{N}[])/gu, {
  reach: REACH,
  hint: "://",
});

const NAMES =
  "(?:api[_-]?key|apikey|secret(?:[_-]?key)?|access[_-]?key|auth[_-]?token|access[_-]?token|password|passwd|pwd)";

/** What stands behind a name as `api_key = "…"`, if it looks random; the name itself is left. */
const assigned = byExpression(
  "SECRET",
  new RegExp(`(?<=${NAMES}["']?\\s{0,2}(?:=|:|=>|:=)\\s{0,2}["']?)[A-Za-z0-9_.+/~!@#$%^&*-]{8,200}=*`, "giu"),
  { reach: REACH, hint: /key|secret|token|pass|pwd/i, isOne: looksRandom },
);

const bearer = byExpression("SECRET", /(?<=\bBearer\s{1,2})[A-Za-z0-9._~+/-]{20,2000}=*/giu, {
  reach: REACH,
  hint: /bearer/i,
  isOne: looksRandom,
});

/** Letters and digits mixed, and many different ones: no word, no name of a variable. */
function looksRandom(text: string): boolean {
  if (!/\d/.test(text) || !/[A-Za-z]/.test(text)) return false;
  return entropyOf(text) >= Math.min(3, Math.log2(text.length) * 0.8);
}

/** Bits for each character, by how often each occurs. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

const HEADER = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const FOOTER = /-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const MARK = "-----BEGIN";
const LONGEST_HEADER = 80;

/** A private key from its first line to its last; without a last line, as long as it may be. */
const privateKey: Detector = {
  reach: REACH,
  openFrom(text) {
    for (let at = text.indexOf(MARK, Math.max(0, text.length - REACH)); at >= 0; at = text.indexOf(MARK, at + 1)) {
      HEADER.lastIndex = at;
      const isHeader = text.length - at < LONGEST_HEADER || HEADER.exec(text)?.index === at;
      FOOTER.lastIndex = at;
      if (isHeader && !FOOTER.test(text)) return at;
    }
    return chainStart(text, MARK.length);
  },
  find({ plain: text }, from) {
    HEADER.lastIndex = from;
    const header = HEADER.exec(text);
    if (!header) return null;
    // No further than it may reach: a text may have many first lines and no last one.
    const key = text.slice(header.index, header.index + REACH);
    FOOTER.lastIndex = 0;
    const footer = FOOTER.exec(key);
    const length = footer ? footer.index + footer[0].length : key.length;
    return { start: header.index, end: header.index + length, type: "SECRET" };
  },
};

/** Finds keys, tokens, passwords and private keys by their public shapes. */
export const secretDetectors: readonly Detector[] = [privateKey, ...shapes, inAddress, assigned, bearer];
