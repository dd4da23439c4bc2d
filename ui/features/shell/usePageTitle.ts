import { useLocation } from "@tanstack/react-router";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { useSiteName } from "../../site-status.ts";
import { isUnder, NAV } from "./nav.ts";

/** Open pages that have a name of their own; the home page has the site's. */
const OPEN_PAGES: Readonly<Record<string, string>> = {
  "/login": "shell.signIn",
  "/register": "login.links.toRegister",
  "/reset": "reset.title",
  "/user/reset": "reset.confirm.title",
  "/setup": "setup.title",
  "/key": "keyUsage.title",
  "/status": "status.title",
  "/reference": "reference.title",
  "/about": "shell.about",
  "/pricing": "pricing.title",
};

/** Names the browser's tab after page and site, so that tabs and history can be told apart. */
export function usePageTitle(): void {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const site = useSiteName();
  const item = NAV.flatMap(({ items }) => items).find(({ path }) => isUnder(pathname, path));
  const key = item ? `shell.${item.label}` : OPEN_PAGES[pathname];
  const title = key ? `${t(key)} · ${site}` : site;
  useEffect(() => {
    document.title = title;
  }, [title]);
}
