/** How the site shows quota: units to the dollar, and whether amounts are shown in dollars at all. */
export type MoneyFormat = Readonly<{ quotaPerUnit: number; inCurrency: boolean }>;

/** Beyond it a float is no exact number of quota units. */
const MOST_UNITS = Number.MAX_SAFE_INTEGER;
/** Down to a unit of a site that has a hundred million to the dollar, and more. */
const DECIMALS = [0, 2, 3, 4, 5, 6, 8, 10, 12];
const TOKEN = /\s*(\d[\d,]*\.?\d*|\.\d+|[-+*/()−×÷])/y;

/**
 * The number that a person typed: plain, with thousands commas and a dollar sign, or as arithmetic with + − * / and brackets
 * ("20*3", "(5 + 2.5) / 2"). Null where it is none.
 */
export function readAmount(text: string): number | null {
  const tokens = tokensOf(text.replaceAll("$", ""));
  if (!tokens?.length) return null;
  let at = 0;
  const takes = (...signs: readonly string[]): string | undefined => {
    const sign = tokens[at];
    if (sign === undefined || !signs.includes(sign)) return undefined;
    at += 1;
    return sign;
  };
  const sum = (): number => {
    let value = product();
    for (let sign = takes("+", "-"); sign; sign = takes("+", "-")) value += sign === "+" ? product() : -product();
    return value;
  };
  const product = (): number => {
    let value = factor();
    for (let sign = takes("*", "/"); sign; sign = takes("*", "/"))
      value = sign === "*" ? value * factor() : value / factor();
    return value;
  };
  const factor = (): number => {
    if (takes("-")) return -factor();
    if (takes("+")) return factor();
    if (takes("(")) {
      const value = sum();
      return takes(")") ? value : Number.NaN;
    }
    const number = Number(tokens[at]?.replaceAll(",", "") ?? Number.NaN);
    at += 1;
    return number;
  };
  const value = sum();
  return at === tokens.length && Number.isFinite(value) ? value : null;
}

const SIGNS: Readonly<Record<string, string>> = { "−": "-", "×": "*", "÷": "/" };

function tokensOf(text: string): string[] | null {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  const trimmed = text.trim();
  while (TOKEN.lastIndex < trimmed.length) {
    const token = TOKEN.exec(trimmed)?.[1];
    if (token === undefined) return null;
    tokens.push(SIGNS[token] ?? token);
  }
  return tokens;
}

/**
 * Quota units, as text, of what was typed in the site's format: dollars, or units. What is no amount stays as it was typed, for
 * the form to refuse.
 */
export function unitsOf(typed: string, { inCurrency, quotaPerUnit }: MoneyFormat): string {
  const amount = readAmount(typed);
  if (amount === null) return typed;
  const units = Math.round(inCurrency ? amount * quotaPerUnit : amount);
  return Math.abs(units) <= MOST_UNITS ? String(units) : typed;
}

/** What stands in the field for quota units: units; or dollars, with as many decimals as they need, none or two at least. */
export function typedOf(units: string, format: MoneyFormat): string {
  const quota = readAmount(units);
  if (quota === null || !format.inCurrency) return units;
  for (const decimals of DECIMALS) {
    const text = (quota / format.quotaPerUnit).toFixed(decimals);
    if (unitsOf(text, format) === String(quota)) return text;
  }
  return String(quota / format.quotaPerUnit);
}
