import { queryOptions, replaceEqualDeep } from "@tanstack/react-query";
import { atom, getDefaultStore, useAtomValue } from "jotai";
import { readData } from "../api/client.ts";
import { statusApi } from "../api/groups.ts";
import { type SiteStatus, siteAtom } from "./site-atom.ts";

export type { SiteStatus } from "./site-atom.ts";

/** Fields that other pages of the ecosystem also read from local storage. */
const MIRRORED = [
  "system_name",
  "logo",
  "footer_html",
  "quota_per_unit",
  "display_in_currency",
  "enable_data_export",
  "enable_drawing",
  "enable_task",
  "mj_notify_enabled",
] as const;

/** Fetches the site's status into its atom. */
export const siteStatus = queryOptions({
  queryKey: ["site-status"],
  queryFn: async ({ signal }) => {
    const data: SiteStatus = await readData(statusApi.status.get({ fetch: { signal } }), { stayOn401: true });
    getDefaultStore().set(siteAtom, (last) => replaceEqualDeep(last, data));
    for (const key of MIRRORED) localStorage.setItem(key, String(data[key]));
    localStorage.setItem("chats", JSON.stringify(data.chats ?? []));
    return data;
  },
  staleTime: 60_000,
  refetchOnWindowFocus: true,
});

/** The site's status; undefined on a first visit until loaded. */
export function useSite(): SiteStatus | undefined {
  const site = useAtomValue(siteAtom);
  const preview = useAtomValue(previewAtom);
  return site && preview ? { ...site, ...preview } : site;
}

/** Unsaved values that a preview shows instead of the saved ones. */
export const previewAtom = atom<Partial<SiteStatus> | null>(null);

/** The site's name, as its administrator chose it. */
export const useSiteName = (): string => useSite()?.system_name || "Sluice";
