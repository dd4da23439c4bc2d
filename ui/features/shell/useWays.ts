import { useLocation } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useSite } from "../../site-status.ts";
import { useSession } from "../session/session.tsx";
import { isConsolePage } from "./nav.ts";

/** One of the site's main ways: a page of ours, or an address elsewhere. */
export type Way = Readonly<{ key: string; label: string; isHere: boolean } & ({ to: string } | { href: string })>;

/** The ways on top of every page, those for whoever is signed in only for them. */
export function useWays(): readonly Way[] {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const { user } = useSession();
  const site = useSite();
  const docs = site?.docs_link;
  return [
    { key: "home", label: t("shell.home"), to: "/", isHere: pathname === "/" },
    ...(user ? [{ key: "console", label: t("shell.console"), to: "/token", isHere: isConsolePage(pathname) }] : []),
    { key: "pricing", label: t("pricing.title"), to: "/pricing", isHere: pathname === "/pricing" },
    ...(site?.status_page_enabled
      ? [{ key: "status", label: t("status.title"), to: "/status", isHere: pathname === "/status" }]
      : []),
    ...(docs ? [{ key: "docs", label: t("shell.docs"), href: docs, isHere: false }] : []),
    { key: "about", label: t("shell.about"), to: "/about", isHere: pathname === "/about" },
  ];
}
