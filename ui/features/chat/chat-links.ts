/** Name → link, as the site's status lists them. */
export type ChatLinks = readonly Readonly<Record<string, string>>[];

export type ChatTarget = Readonly<{
  href: string;
  /** The page may be shown in a frame; else it opens by itself, as an app does. */
  isFramed: boolean;
}>;

/** Schemes that would run or show something within this page. */
const REFUSED = /^(javascript|data|vbscript|blob|file|filesystem|about):$/;

/** Name and link of the chat at this place of the list; null when there is none. */
export function chatAt(links: ChatLinks, place: number): Readonly<{ name: string; link: string }> | null {
  const [pair] = Object.entries(links[place] ?? {});
  return pair ? { name: pair[0], link: pair[1] } : null;
}

/** The first chat that is a web page; null when there is none. */
export const firstWebChat = (links: ChatLinks): number | null => {
  const place = links.findIndex((_, at) => /^https?:/i.test(chatAt(links, at)?.link ?? ""));
  return place < 0 ? null : place;
};

/** Fills key (with `sk-`) and gateway address into a link; null when it is no address that may be opened. */
export function chatTarget(link: string, key: string, address: string): ChatTarget | null {
  const filled = link.trim().replaceAll("{key}", key).replaceAll("{address}", encodeURIComponent(address));
  const url = URL.parse(filled);
  if (!url || REFUSED.test(url.protocol)) return null;
  return { href: url.href, isFramed: url.protocol === "https:" };
}

/** What a framed chat may do. One of this console's own origin could lift its sandbox, so it gets no origin. */
export const sandboxOf = (href: string, ownOrigin: string): string =>
  ["allow-scripts allow-forms allow-popups allow-downloads allow-modals"]
    .concat(URL.parse(href)?.origin === ownOrigin ? [] : ["allow-same-origin"])
    .join(" ");
