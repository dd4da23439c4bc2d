import { Elysia } from "elysia";
import type { SettingsReader } from "../../settings/settings.ts";

/** Serves the web app manifest (https://www.w3.org/TR/appmanifest/), so that browsers can install the console under the site's name. */
export const webManifest = (settings: SettingsReader) =>
  new Elysia({ name: "web-manifest" }).get(
    "/manifest.webmanifest",
    () => {
      const name = settings.get("SystemName");
      const logo = settings.get("Logo");
      const manifest = {
        id: "/",
        name,
        short_name: name,
        start_url: "/detail",
        scope: "/",
        display: "standalone",
        background_color: "#f6f8fa",
        theme_color: "#f6f8fa",
        icons: logo ? [{ src: logo, sizes: "any" }] : ICONS,
      };
      return new Response(JSON.stringify(manifest), {
        headers: { "content-type": "application/manifest+json", "cache-control": "no-cache" },
      });
    },
    { detail: { hide: true } },
  );

const ICONS = [
  { src: "/icon.svg", sizes: "any", type: "image/svg+xml" },
  { src: "/icon-512.png", sizes: "512x512", type: "image/png", purpose: "any" },
  { src: "/icon-512.png", sizes: "512x512", type: "image/png", purpose: "maskable" },
];
