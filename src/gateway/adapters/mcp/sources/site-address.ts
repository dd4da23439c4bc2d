import { siteForCaller } from "../../../../settings/option/public-address.ts";
import type { Uses } from "../../../call/services.ts";

/** Tells which addresses are servers of the site: their name, empty for all of them together; null: it is another address. */
export type SiteServerOf = (address: string) => string | null;

/** `sluice://github`; without a name all servers. LiteLLM's clients write `litellm_proxy/mcp/github`. */
const BY_NAME = /^(?:sluice:\/\/|litellm_proxy(?:$|\/mcp(?:$|\/)))([^/?#]*)\/?$/i;

/** `/mcp/github`, as the gateway serves it. */
const PATH = /^\/mcp(?:\/([^/]*))?\/?$/;

/**
 * The servers of the site as requests name them by an address: `sluice://github`, or the gateway's own address of the server, `/mcp/github`, below
 * the site's public address or the one that `request` came to. A proxy in front may have changed the scheme, which does not count.
 */
export function siteServersFor(
  { services }: Uses<"settings" | "config">,
  request: Readonly<{ url: string }>,
): SiteServerOf {
  const own = [new URL(siteForCaller(services.settings, request, services.config.basePath)), new URL("/", request.url)];
  return (address) => {
    const named = BY_NAME.exec(address);
    if (named) return decode(named[1] ?? "");
    const url = URL.parse(address);
    if (url?.protocol !== "https:" && url?.protocol !== "http:") return null;
    for (const { host, pathname } of own) {
      const base = pathname.replace(/\/$/, "");
      const path = url.host === host && url.pathname.startsWith(base) && PATH.exec(url.pathname.slice(base.length));
      if (path) return decode(path[1] ?? "");
    }
    return null;
  };
}

function decode(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
