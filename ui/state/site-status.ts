import { atom, getDefaultStore, useAtomValue } from "jotai";
import { useEffect } from "react";
import { ACCOUNT_LIMITS } from "../../src/domain/accounts/account-rules.ts";
import { readData } from "../api/client.ts";
import { statusApi } from "../api/groups.ts";
import { readPatiently } from "../api/retry.ts";
import { notifyError } from "../components/feedback/notify.tsx";
import { onLanguageSwitch, translate } from "./i18n.ts";
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

/** Whether the status is being loaded. */
export const isSiteLoadingAtom = atom(false);

let underWay: Promise<SiteStatus> | null = null;
/** What this page has loaded last, and when. */
let last: Readonly<{ status: SiteStatus; atMs: number }> | null = null;

/** Loads the site's status into its atom; calls at the same time share a request. Rejects ApiError. */
export function loadSiteStatus(): Promise<SiteStatus> {
  const store = getDefaultStore();
  store.set(isSiteLoadingAtom, true);
  underWay ??= fetchSiteStatus().finally(() => {
    underWay = null;
    store.set(isSiteLoadingAtom, false);
  });
  return underWay;
}

async function fetchSiteStatus(): Promise<SiteStatus> {
  const status: SiteStatus = await readData(statusApi.status.get(), { stayOn401: true });
  last = { status, atMs: Date.now() };
  // The same object for the same status, to avoid needless renders.
  getDefaultStore().set(siteAtom, (known) => (JSON.stringify(known) === JSON.stringify(status) ? known : status));
  for (const key of MIRRORED) localStorage.setItem(key, String(status[key]));
  localStorage.setItem("chats", JSON.stringify(status.chats ?? []));
  return status;
}

/** The status that this page has loaded, else loads it. Rejects ApiError. */
export const ensureSiteStatus = async (): Promise<SiteStatus> => last?.status ?? (await loadSiteStatus());

/** Loads the status again, and again after rate limits and network failures; shows an error if that doesn't help. */
export function refreshSiteStatus(): void {
  readPatiently(loadSiteStatus).catch(() => notifyError(translate("shell.statusFailed")));
}

const STALE_AFTER_MS = 60_000;
const refreshIfStale = (): void => {
  if (!last || Date.now() - last.atMs > STALE_AFTER_MS) refreshSiteStatus();
};

/** Keeps the site's status fresh: visitors who return to the page after a minute see the present one. */
export function useFreshSiteStatus(): void {
  useEffect(() => {
    refreshIfStale();
    const onVisible = () => {
      if (document.visibilityState === "visible") refreshIfStale();
    };
    document.addEventListener("visibilitychange", onVisible);
    return () => document.removeEventListener("visibilitychange", onVisible);
  }, []);
  // Some of its texts are in the request's language.
  useEffect(() => onLanguageSwitch(refreshSiteStatus), []);
}

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

/** How long the fields of an account may be on this site. */
export function useAccountLimits() {
  const site = useSite();
  return {
    ...ACCOUNT_LIMITS,
    username: site?.username_max_length ?? ACCOUNT_LIMITS.username,
    passwordMax: site?.password_max_length ?? ACCOUNT_LIMITS.passwordMax,
  };
}

/** Whether the site takes new users. */
export const isRegistrationOpen = (site: SiteStatus): boolean => site.register_enabled && !site.self_use_mode_enabled;
