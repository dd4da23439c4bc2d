import AddOutlined from "@mui/icons-material/AddOutlined";
import ContrastOutlined from "@mui/icons-material/ContrastOutlined";
import HomeOutlined from "@mui/icons-material/HomeOutlined";
import InfoOutlined from "@mui/icons-material/InfoOutlined";
import KeyboardOutlined from "@mui/icons-material/KeyboardOutlined";
import LanguageOutlined from "@mui/icons-material/LanguageOutlined";
import LogoutOutlined from "@mui/icons-material/LogoutOutlined";
import MenuBookOutlined from "@mui/icons-material/MenuBookOutlined";
import MonitorHeartOutlined from "@mui/icons-material/MonitorHeartOutlined";
import ReceiptLongOutlined from "@mui/icons-material/ReceiptLongOutlined";
import SearchOutlined from "@mui/icons-material/SearchOutlined";
import SellOutlined from "@mui/icons-material/SellOutlined";
import TuneOutlined from "@mui/icons-material/TuneOutlined";
import VpnKeyOutlined from "@mui/icons-material/VpnKeyOutlined";
import type SvgIcon from "@mui/material/SvgIcon";
import { useColorScheme } from "@mui/material/styles";
import { useNavigate } from "@tanstack/react-router";
import { useSetAtom } from "jotai";
import { useTranslation } from "react-i18next";
import { useMayOpen } from "../../../api/accounts/use-organization.ts";
import { docsAddress } from "../../../lib/docs/docs-address.ts";
import { DOCS_SECTIONS, docsPageIn } from "../../../lib/docs/docs-pages.ts";
import { LANGUAGES, switchLanguage } from "../../../state/i18n.ts";
import { useSession } from "../../../state/session.ts";
import { shortcutHelpAtom } from "../../../state/shortcuts.ts";
import { useSite } from "../../../state/site-status.ts";
import { isAdmin, isSuperAdmin } from "../../../state/stored-user.ts";
import { findSettings, useSettingTargets } from "../../settings/find-settings.ts";
import { useHasFirstSteps } from "../first-steps/first-steps.ts";
import { useLeave } from "./menus/AccountMenu.tsx";
import { THEME_MODES } from "./menus/PreferenceItems.tsx";
import { navFor } from "./nav.ts";
import { PAGE_ICONS } from "./page-icons.ts";

const SHORTEST_SETTING = 3;
const MOST_SETTINGS = 5;
const MOST_DOCS = 5;

export type Command = Readonly<{
  label: string;
  icon: typeof SvgIcon;
  run: () => void;
  /** What it is about, if the label says more; an equal search text ranks first. */
  name?: string;
  /** What it is for, in one line. */
  hint?: string;
  /** Further texts by which it is found. */
  keywords?: string;
}>;

/**
 * How well a command fits a search, best first: its name, the beginning of its name, of a word, any part of its label,
 * its hint and keywords. Null if it lacks a word of the search.
 */
export function rankOf({ label, name = label, hint = "", keywords = "" }: Command, typed: string): number | null {
  const search = typed.trim().toLowerCase();
  const [text, subject] = [label.toLowerCase(), name.toLowerCase()];
  const all = `${text} ${hint} ${keywords}`.toLowerCase();
  if (!search.split(/\s+/).every((word) => all.includes(word))) return null;
  if (subject === search) return 0;
  if (subject.startsWith(search)) return 1;
  if (` ${text}`.includes(` ${search}`)) return 2;
  return text.includes(search) ? 3 : 4;
}

/** The commands that fit a search, best first; equally good ones keep their order. */
export function rankCommands(commands: readonly Command[], typed: string): readonly Command[] {
  return commands
    .flatMap((command) => {
      const rank = rankOf(command, typed);
      return rank === null ? [] : [{ command, rank }];
    })
    .sort((a, b) => a.rank - b.rank)
    .map(({ command }) => command);
}

/** The palette's commands for the current user: pages first, then actions. */
export function useCommands(): readonly Command[] {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { setMode } = useColorScheme();
  const { user } = useSession();
  const leave = useLeave();
  const showShortcuts = useSetAtom(shortcutHelpAtom);
  const site = useSite();
  const hasFirstSteps = useHasFirstSteps();
  const mayOpen = useMayOpen();
  const pages = navFor(user, site && { ...site, has_first_steps: hasFirstSteps }, mayOpen).flatMap(
    ({ items }) => items,
  );
  const goTo = (page: string, path: string, icon: typeof SvgIcon, hint = ""): Command => ({
    label: t("shell.palette.goTo", { page }),
    name: page,
    hint,
    keywords: path.slice(1),
    icon,
    run: () => void navigate({ to: path, search: {} }),
  });
  const add = (label: string, path: "/channel/add" | "/user/add" | "/token" | "/redemption"): Command => ({
    label,
    icon: AddOutlined,
    keywords: t("shell.palette.new"),
    // Lists open their form by this parameter; the others have a path for it.
    run: () => void navigate({ to: path, search: path.endsWith("/add") ? {} : () => ({ add: 1 }) }),
  });
  return [
    ...pages.map(({ path, label }) => goTo(t(`shell.${label}`), path, PAGE_ICONS[label], t(`shell.hints.${label}`))),
    goTo(t("shell.home"), "/", HomeOutlined),
    goTo(t("shell.prices"), "/pricing", SellOutlined),
    ...(site?.status_page_enabled ? [goTo(t("shell.modelStatus"), "/status", MonitorHeartOutlined)] : []),
    goTo(t("shell.reference"), "/reference", MenuBookOutlined),
    goTo(t("keyUsage.title"), "/key", VpnKeyOutlined),
    goTo(t("shell.about"), "/about", InfoOutlined),
    add(t("apiKeys.add"), "/token"),
    ...(isAdmin(user)
      ? [
          add(t("channels.add"), "/channel/add"),
          add(t("users.form.add"), "/user/add"),
          add(t("codes.add"), "/redemption"),
        ]
      : []),
    ...THEME_MODES.map((mode) => ({
      label: t("shell.palette.theme", { theme: t(`shell.theme.${mode}`) }),
      icon: ContrastOutlined,
      run: () => setMode(mode),
    })),
    ...LANGUAGES.map(({ tag, name }) => ({
      label: t("shell.palette.language", { language: name }),
      icon: LanguageOutlined,
      run: () => void switchLanguage(tag),
    })),
    { label: t("shell.keyboard.title"), icon: KeyboardOutlined, run: () => showShortcuts(true) },
    { label: t("shell.signOut"), icon: LogoutOutlined, run: () => void leave() },
  ];
}

/** Commands that search the console's lists for a text. */
export function useFinds(): (text: string) => readonly Command[] {
  const { t, i18n } = useTranslation();
  const navigate = useNavigate();
  const { user } = useSession();
  const settings = useSettingTargets();
  const settingsFor = (text: string): Command[] => {
    if (!isSuperAdmin(user) || text.trim().length < SHORTEST_SETTING) return [];
    return findSettings(settings, text)
      .slice(0, MOST_SETTINGS)
      .map(({ section, field, path }) => ({
        label: t("shell.palette.setting", { name: path }),
        icon: TuneOutlined,
        run: () => void navigate({ to: "/setting", search: { tab: section.tab, field: field?.key ?? section.id } }),
      }));
  };
  const docsLink = useSite()?.docs_link;
  const docs = DOCS_SECTIONS.flatMap(({ name, pages }) =>
    pages.flatMap((page): Command[] => {
      const address = docsAddress(docsLink, page[1], i18n.language);
      if (!address) return [];
      const [title] = docsPageIn(page, i18n.language.startsWith("zh"));
      const label = t("shell.palette.docs", { page: title });
      return [
        { label, name: title, hint: name, icon: MenuBookOutlined, run: () => void window.open(address, "_blank") },
      ];
    }),
  );
  const docsFor = (text: string) =>
    text.trim().length < SHORTEST_SETTING ? [] : rankCommands(docs, text).slice(0, MOST_DOCS);
  const requestOf = (text: string): Command[] => {
    const id = text.trim();
    if (!OWN_REQUEST_ID.test(id)) return [];
    return [
      {
        label: t("shell.palette.hit.request", { id }),
        icon: ReceiptLongOutlined,
        run: () => void navigate({ to: "/log/$requestId", params: { requestId: id }, search: {} }),
      },
    ];
  };
  return (text) => [
    ...requestOf(text),
    ...settingsFor(text),
    ...docsFor(text),
    ...findTargets(text, isAdmin(user)).map(({ what, path, search }) => ({
      label: t(`shell.palette.find.${what}`, { text: text.trim() }),
      icon: SearchOutlined,
      run: () => void navigate({ to: path, search }),
    })),
  ];
}

/** A list that can be searched from the palette. `text` goes into its filter. */
type FindTarget = Readonly<{
  /** A key under `shell.palette.find` in the locales. */
  what: "tokens" | "model" | "request" | "channels" | "users";
  path: "/token" | "/log" | "/channel" | "/user";
  search: Readonly<Record<string, string>>;
}>;

const SHORTEST = 2;
/** An ID as lists show it. */
const ID = /^#?\d{1,9}$/;
/** Format of the gateway's request IDs; clients may choose others. */
const OWN_REQUEST_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** API keys are secrets: keep them out of URLs. */
const KEY = /^sk-/i;

/** Whether a text is an API key. */
export const isKey = (typed: string): boolean => KEY.test(typed.trim());

/** The search text if it may be an ID or part of a name; empty if it is too short, secret or a request ID. */
export function nameIn(typed: string): string {
  const text = typed.trim();
  if (ID.test(text)) return text.replace("#", "");
  return text.length < SHORTEST || KEY.test(text) || OWN_REQUEST_ID.test(text) ? "" : text;
}

/** The lists in which the text can be searched; none if it is too short or secret. */
export function findTargets(typed: string, isAdmin: boolean): readonly FindTarget[] {
  const text = typed.trim();
  const request: FindTarget = { what: "request", path: "/log", search: { search: text } };
  if (OWN_REQUEST_ID.test(text)) return [request];
  if (nameIn(typed) === "") return [];
  return [
    { what: "tokens", path: "/token", search: { search: text } },
    ...(isAdmin
      ? ([
          { what: "channels", path: "/channel", search: { search: text } },
          { what: "users", path: "/user", search: { search: text } },
        ] as const)
      : []),
    { what: "model", path: "/log", search: { model: text, range: "30d" } },
    request,
  ];
}
