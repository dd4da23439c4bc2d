import i18next from "i18next";
import { getDefaultStore } from "jotai";
import { sitePath } from "../lib/base-path.ts";
import { onLanguageSwitch, translate } from "../state/i18n.ts";
import { siteAtom } from "../state/site-atom.ts";

/**
 * Makes the console installable: a service worker shows a page of its own, in the reader's language, when the network does not
 * deliver one. Browsers offer service workers at https addresses and on this machine only.
 */
export function prepareOffline(): void {
  if (!("serviceWorker" in navigator)) return;
  // An address without service workers, or a browser that forbids them: the console works without.
  navigator.serviceWorker.register(sitePath("/service-worker.js")).then(
    () => {
      void keepPage();
      onLanguageSwitch(() => void keepPage());
      getDefaultStore().sub(siteAtom, () => void keepPage());
    },
    () => {},
  );
}

async function keepPage(): Promise<void> {
  const cache = await caches.open("offline");
  await cache.put("/offline", new Response(offlinePage(), { headers: { "content-type": "text/html; charset=utf-8" } }));
}

const offlinePage = (): string => {
  const site = escaped(getDefaultStore().get(siteAtom)?.system_name || "Sluice");
  const text = (name: string) => escaped(translate(`shell.offline.${name}`));
  return `<!doctype html>
<html lang="${i18next.language}">
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>${site}</title>
<style>
body { margin: 20vh auto 0; padding: 0 24px; max-width: 420px; font: 15px/24px Inter, system-ui, sans-serif; }
h1 { font-size: 20px; }
a { display: inline-block; padding: 4px 14px; border-radius: 7px; font-weight: 600; color: #fff; background: #0f766e; text-decoration: none; }
</style>
<p>${site}</p>
<h1>${text("title")}</h1>
<p>${text("body")}</p>
<p><a href="">${text("retry")}</a></p>
`;
};

const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
