import { fold } from "./fold.ts";

/** What a text says to a model that it is not to say, and how much it weighs. */
type Sign = Readonly<{ weight: number; pattern: RegExp }>;

/** From this sum on a text counts as an attempt. */
const ENOUGH = 10;

const ALL = "(?:all|any|every|your|the|these|my)?\\s{0,3}(?:of\\s{1,3})?(?:the\\s{1,3}|your\\s{1,3}|my\\s{1,3})?";
const EARLIER = "(?:previous|prior|earlier|above|preceding|existing|original|initial|former|system)";
const ORDERS = "(?:instructions?|prompts?|rules?|guidelines?|directions?|commands?|messages?|context|constraints?)";

/** Orders to forget the instructions, in several languages; roles that have none; questions about them; marks of chat formats. */
const SIGNS: readonly Sign[] = [
  {
    weight: 10,
    pattern: new RegExp(
      `\\b(?:ignore|disregard|forget|override|bypass|do not follow|don't follow|stop following)\\s{1,3}${ALL}${EARLIER}\\s{1,3}(?:\\w{1,20}\\s{1,3})?${ORDERS}`,
      "i",
    ),
  },
  {
    weight: 10,
    pattern: /\b(?:ignore|disregard|forget)\s{1,3}(?:everything|all)\s{1,3}(?:above|before|earlier|reported)/i,
  },
  {
    weight: 10,
    pattern:
      /\b(?:ignorier|vergiss|missachte)\w{0,3}\s{1,3}(?:bitte\s{1,3})?(?:alle\s{1,3})?(?:deine\s{1,3}|die\s{1,3})?(?:vorherigen|bisherigen|obigen|vorigen|früheren)\s{1,3}\p{L}{0,10}(?:anweisungen|regeln|instruktionen|befehle)/iu,
  },
  {
    weight: 10,
    pattern:
      /\b(?:ignore[zr]?|oublie[zr]?)\s{1,3}(?:toutes\s{1,3})?(?:les|tes|vos)\s{1,3}(?:instructions|consignes|règles)\s{1,3}(?:précédentes|antérieures|ci-dessus)/iu,
  },
  {
    weight: 10,
    pattern:
      /\b(?:ignora|olvida|ignore|olvide)\s{1,3}(?:todas\s{1,3})?(?:las|tus|sus)\s{1,3}(?:instrucciones|reglas|órdenes)\s{1,3}(?:anteriores|previas)/iu,
  },
  {
    weight: 10,
    pattern:
      /\b(?:ignora|dimentica)\s{1,3}(?:tutte\s{1,3})?(?:le|tue)\s{1,3}(?:tue\s{1,3})?(?:istruzioni|regole)\s{1,3}(?:precedenti|sopra)/iu,
  },
  {
    weight: 10,
    pattern:
      /\b(?:ignore|esqueça)\s{1,3}(?:todas\s{1,3})?(?:as|suas)\s{1,3}(?:suas\s{1,3})?(?:instruções|regras)\s{1,3}(?:anteriores|acima)/iu,
  },
  {
    weight: 10,
    pattern:
      /(?:игнорируй|забудь|проигнорируй)(?:те)?\s{1,3}(?:все\s{1,3})?(?:свои\s{1,3})?(?:предыдущие|прошлые|прежние)\s{1,3}(?:инструкции|указания|правила)/iu,
  },
  {
    weight: 10,
    pattern:
      /(?:忽略|无视|無視|忘记|忘掉|忘記|不要遵守|不要理会).{0,8}(?:之前|以上|上面|先前|前面|此前|原有|所有).{0,8}(?:指令|指示|提示|规则|規則|要求|设定|設定|命令)/u,
  },
  {
    weight: 10,
    pattern: /(?:これまで|以前|上記|前|今まで)の.{0,6}(?:指示|命令|ルール|プロンプト|制約)を.{0,6}(?:無視|忘れ)/u,
  },
  { weight: 10, pattern: /(?:이전|위의|앞의|기존)\s?.{0,6}(?:지시|명령|규칙|프롬프트).{0,6}(?:무시|잊)/u },
  {
    weight: 6,
    pattern:
      /\byou are now (?:in )?(?:dan\b|developer mode|jailbroken|unrestricted|an? (?:unrestricted|unfiltered|uncensored|evil))/i,
  },
  {
    weight: 6,
    pattern: /\b(?:do anything now|jailbreak(?:ed)? mode|developer mode (?:enabled|on)|god mode enabled)\b/i,
  },
  {
    weight: 5,
    pattern:
      /\b(?:without|no|ignoring|free (?:of|from)) (?:any )?(?:restrictions|limitations|filters|safety|ethical|moral|content) ?(?:guidelines|policies|policy|rules|constraints|filters)?\b/i,
  },
  {
    weight: 6,
    pattern:
      /\b(?:reveal|print|show|repeat|output|display|tell me|leak|dump)\s{1,3}(?:me\s{1,3})?(?:your|the)\s{1,3}(?:full\s{1,3}|entire\s{1,3}|exact\s{1,3}|hidden\s{1,3}|secret\s{1,3}|initial\s{1,3}|original\s{1,3})?(?:system\s{1,3}(?:prompt|message|instructions)|(?:hidden|secret|initial) (?:prompt|instructions))/i,
  },
  {
    weight: 5,
    pattern:
      /\brepeat (?:everything|all(?: the)? (?:text|words)) above\b|\bwhat (?:is|are|was|were) your (?:system prompt|initial instructions|hidden instructions)\b/i,
  },
  {
    weight: 8,
    pattern:
      /<\|(?:im_start|im_end|system|endoftext|start_header_id|eot_id)\|>|\[\/?INST\]|<<SYS>>|<\/?system>|^\s{0,3}#{1,3}\s?system(?: prompt)?\s?:/im,
  },
  { weight: 6, pattern: /\b(?:new|updated|real|actual) (?:system )?(?:instructions?|prompt)\s?(?::|are:|follow)/i },
  {
    weight: 4,
    pattern:
      /\b(?:do not|don't|never) (?:tell|mention|inform|reveal (?:this )?to|alert) (?:the )?(?:user|human|anyone)\b/i,
  },
  {
    weight: 4,
    pattern: /\b(?:send|post|upload|forward|exfiltrate|email) (?:\w{1,20} ){0,6}(?:to|at) (?:https?:\/\/|\S{1,64}@)/i,
  },
  { weight: 4, pattern: /!\[[^\]]{0,80}\]\(https?:\/\/[^)\s]{1,200}\?[^)\s]{0,200}(?:=|%7B|\{)/i },
];

/** Letters that are not seen and spell out text (Unicode's tags), and direction marks that reorder it. */
const INVISIBLE = /[\u{e0020}-\u{e007e}]{4}|[\u202a-\u202e\u2066-\u2069]/u;

/** Whether a text tries to give a model other orders, by what such texts have in common. */
export function looksLikeInjection(text: string): boolean {
  let sum = INVISIBLE.test(text) ? ENOUGH : 0;
  const { plain, skeleton } = fold(text.normalize("NFKC"));
  for (const { weight, pattern } of SIGNS) {
    if (sum >= ENOUGH) return true;
    if (pattern.test(plain) || (skeleton !== plain && pattern.test(skeleton))) sum += weight;
  }
  return sum >= ENOUGH;
}
