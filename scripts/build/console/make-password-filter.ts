/**
 * Rebuilds the filter of leaked passwords from a list, the most common first, one a line:
 * `bun scripts/build/console/make-password-filter.ts list.txt`. What the rules of weak-password.ts catch takes no room in it.
 */
import { FILTER_BITS, filterBits } from "../../../ui/features/accounts/registration/common-passwords.ts";
import { isEasyToGuess } from "../../../ui/features/accounts/registration/weak-password.ts";

const TARGET = new URL("../../../ui/features/accounts/registration/common-passwords-filter.ts", import.meta.url)
  .pathname;
const MOST = 10_000;
const LINE = 112;

const [file = ""] = process.argv.slice(2);
const input = (await Bun.file(file).text()).split("\n").map((line) => line.trim().toLowerCase());
const chosen = [...new Set(input)]
  .filter((password) => [...password].length >= 8 && [...password].length <= 20 && !isEasyToGuess(password, ""))
  .slice(0, MOST);
const filter = new Uint8Array(FILTER_BITS / 8);
for (const bit of chosen.flatMap(filterBits)) filter[bit >> 3] = (filter[bit >> 3] ?? 0) | (1 << (bit & 7));
const lines =
  Buffer.from(filter)
    .toString("base64")
    .match(new RegExp(`.{1,${LINE}}`, "g")) ?? [];
await Bun.write(
  TARGET,
  `/** Written by scripts/build/console/make-password-filter.ts from ${chosen.length.toLocaleString("en")} passwords of Mark Burnett's ten million, as zxcvbn 4.4.2 ranks them. */
export const FILTER = [
${lines.map((line) => `  "${line}",`).join("\n")}
].join("");
`,
);
process.stdout.write(`${chosen.length} passwords\n`);
