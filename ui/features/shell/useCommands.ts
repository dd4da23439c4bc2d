import AddOutlined from "@mui/icons-material/AddOutlined";
import ContrastOutlined from "@mui/icons-material/ContrastOutlined";
import HomeOutlined from "@mui/icons-material/HomeOutlined";
import InfoOutlined from "@mui/icons-material/InfoOutlined";
import LanguageOutlined from "@mui/icons-material/LanguageOutlined";
import LogoutOutlined from "@mui/icons-material/LogoutOutlined";
import MenuBookOutlined from "@mui/icons-material/MenuBookOutlined";
import MonitorHeartOutlined from "@mui/icons-material/MonitorHeartOutlined";
import SearchOutlined from "@mui/icons-material/SearchOutlined";
import SellOutlined from "@mui/icons-material/SellOutlined";
import TuneOutlined from "@mui/icons-material/TuneOutlined";
import VpnKeyOutlined from "@mui/icons-material/VpnKeyOutlined";
import type SvgIcon from "@mui/material/SvgIcon";
import { useColorScheme } from "@mui/material/styles";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { switchLanguage } from "../../i18n.ts";
import { useSite } from "../../site-status.ts";
import { useSession } from "../session/session.tsx";
import { isAdmin, isSuperAdmin } from "../session/stored-user.ts";
import { findSettings } from "../settings/find-settings.ts";
import { useSettingTargets } from "../settings/use-setting-targets.ts";
import { findTargets } from "./find-targets.ts";
import { LANGUAGES } from "./LanguageMenu.tsx";
import { navFor } from "./nav.ts";
import { THEME_MODES } from "./ThemeMenu.tsx";
import { useLeave } from "./useLeave.ts";

const SHORTEST_SETTING = 3;
const MOST_SETTINGS = 5;

export type Command = Readonly<{ label: string; icon: typeof SvgIcon; run: () => void }>;

/** Everything the palette can do for whoever is signed in: pages first, then acts. */
export function useCommands(): readonly Command[] {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { setMode } = useColorScheme();
  const { user } = useSession();
  const leave = useLeave();
  const site = useSite();
  const pages = navFor(user, site).flatMap(({ items }) => items);
  const goTo = (page: string, path: string, icon: typeof SvgIcon): Command => ({
    label: t("shell.palette.goTo", { page }),
    icon,
    run: () => void navigate({ to: path, search: {} }),
  });
  const addChannel = (): Command => ({
    label: t("channels.add"),
    icon: AddOutlined,
    run: () => void navigate({ to: "/channel/add", search: {} }),
  });
  return [
    ...pages.map(({ path, label, icon }) => goTo(t(`shell.${label}`), path, icon)),
    goTo(t("shell.home"), "/", HomeOutlined),
    goTo(t("pricing.title"), "/pricing", SellOutlined),
    ...(site?.status_page_enabled ? [goTo(t("status.title"), "/status", MonitorHeartOutlined)] : []),
    goTo(t("reference.title"), "/reference", MenuBookOutlined),
    goTo(t("keyUsage.title"), "/key", VpnKeyOutlined),
    goTo(t("shell.about"), "/about", InfoOutlined),
    ...(isAdmin(user) ? [addChannel()] : []),
    ...THEME_MODES.map((mode) => ({
      label: t("shell.palette.theme", { theme: t(`shell.theme.${mode}`) }),
      icon: ContrastOutlined,
      run: () => setMode(mode),
    })),
    ...LANGUAGES.map(([language, name]) => ({
      label: t("shell.palette.language", { language: name }),
      icon: LanguageOutlined,
      run: () => void switchLanguage(language),
    })),
    { label: t("shell.signOut"), icon: LogoutOutlined, run: () => void leave() },
  ];
}

/** Commands that look for a text in the console's lists. */
export function useFinds(): (text: string) => readonly Command[] {
  const { t } = useTranslation();
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
  return (text) => [
    ...settingsFor(text),
    ...findTargets(text, isAdmin(user)).map(({ what, path, search }) => ({
      label: t(`shell.palette.find.${what}`, { text: text.trim() }),
      icon: SearchOutlined,
      run: () => void navigate({ to: path, search }),
    })),
  ];
}
