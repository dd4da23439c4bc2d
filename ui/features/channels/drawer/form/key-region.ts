/** How access keys of AWS begin: their secret is the second part of the key, the region the third. */
const ACCESS_KEY = /^\s*(AKIA|ASIA)/;

const placeIn = (parts: readonly string[]): 1 | 2 => (parts.length > 2 || ACCESS_KEY.test(parts[0] ?? "") ? 2 : 1);

/** The region in a key `accessKey|secretKey|region` or `apiKey|region`; empty: it names none. */
export function regionOfKey(key: string): string {
  const parts = key.split("|");
  return (parts[placeIn(parts)] ?? "").trim();
}

/** The key with another region. An access key keeps its place for one, because without it the secret would be read as the region. */
export function withRegion(key: string, region: string): string {
  const parts = key.split("|");
  const place = placeIn(parts);
  const before = Array.from({ length: place }, (_, at) => parts[at] ?? "");
  const after = parts.slice(place + 1);
  const isBare = place === 1 && region === "" && after.length === 0;
  return [...before, ...(isBare ? [] : [region]), ...after].join("|");
}
