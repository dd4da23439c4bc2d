import { useQuery } from "@tanstack/react-query";

/** The most common choices; compared without case and with digits read as letters. */
const WELL_KNOWN =
  `password passwort passw0rd pass1234 motdepasse qwerty azerty iloveyou loveyou letmein welcome admin administrator
  dragon monkey master shadow sunshine princess football baseball basketball superman batman spiderman starwars pokemon
  naruto michael jordan jessica michelle jennifer charlie thomas daniel ashley hunter killer freedom secret default
  changeme trustno computer internet whatever samsung google yahoo facebook linkedin minecraft liverpool chelsea arsenal
  barcelona juventus mustang ferrari corvette harley summer winter spring autumn january december cheese chocolate
  cookie pepper ginger flower butterfly tigger maggie buster test login access root toor hello woaini wodemima zhangwei
  wangwei xiaoming nihao aini woaiwojia 5201314 1314520 147258369 789456123 159753`.split(/\s+/);
/** Neighbors on a keyboard or in the alphabet. */
const RUNS = ["abcdefghijklmnopqrstuvwxyz", "01234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm", "1qaz2wsx3edc4rfv"];
const LOOKALIKES: Readonly<Record<string, string>> = {
  "0": "o",
  "1": "l",
  "3": "e",
  "4": "a",
  "5": "s",
  "@": "a",
  $: "s",
};
const FEWEST_DIFFERENT = 5;
/** Maximum share of a password that a well-known part may take. */
const MOST_KNOWN = 0.6;

/** Whether a password is easy to guess: common, neighboring keys, or the user's own name. */
export function isEasyToGuess(password: string, username: string): boolean {
  const text = password.toLowerCase();
  if (text === "") return false;
  if (new Set(text).size < FEWEST_DIFFERENT) return true;
  const name = username.trim().toLowerCase();
  const known = [...WELL_KNOWN, ...(name.length > 2 ? [name] : [])];
  const plain = [...text].map((letter) => LOOKALIKES[letter] ?? letter).join("");
  const covers = (part: string) => part.length / text.length >= MOST_KNOWN;
  if (known.some((word) => (text.includes(word) || plain.includes(word)) && covers(word))) return true;
  return covers(longestRun(text));
}

/** The longest part that follows a sequence, in either direction. */
function longestRun(text: string): string {
  const runs = RUNS.flatMap((run) => [run, [...run].reverse().join("")]);
  let longest = "";
  for (let start = 0; start < text.length; start += 1) {
    for (let end = start + longest.length + 1; end <= text.length; end += 1) {
      const part = text.slice(start, end);
      if (!runs.some((run) => run.includes(part))) break;
      longest = part;
    }
  }
  return longest;
}

/** Whether a password is easy to guess or leaked; loads the list of leaked passwords on the first keystroke. */
export function useEasyToGuess(password: string, username: string): boolean {
  const { data: isCommon } = useQuery({
    queryKey: ["common-passwords"],
    queryFn: async () => (await import("./common-passwords.ts")).isCommonPassword,
    enabled: password !== "",
    staleTime: Number.POSITIVE_INFINITY,
  });
  return isEasyToGuess(password, username) || (isCommon?.(password) ?? false);
}
