import ContrastOutlined from "@mui/icons-material/ContrastOutlined";
import LanguageOutlined from "@mui/icons-material/LanguageOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import IconButton from "@mui/material/IconButton";
import { type ComponentType, lazy, type MouseEvent, type ReactNode, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { LANGUAGES } from "../../../../state/i18n.ts";

/** Menus are loaded when they are opened: the sign-in page needs none. */
const LanguageItems = lazy(async () => ({ default: (await import("./PreferenceItems.tsx")).LanguageItems }));
const ThemeItems = lazy(async () => ({ default: (await import("./PreferenceItems.tsx")).ThemeItems }));

/** An open menu: the button that opened it, and what closes it. */
export type OpenMenu = Readonly<{ anchor: HTMLElement | null; onClose: () => void }>;

/** A button and the menu that it opens. */
function useMenu(Items: ComponentType<OpenMenu>): {
  open: (event: MouseEvent<HTMLElement>) => void;
  menu: ReactNode;
} {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  /** Stays mounted while it fades out. */
  const [wasOpened, setOpened] = useState(false);
  return {
    open(event) {
      setAnchor(event.currentTarget);
      setOpened(true);
    },
    menu: wasOpened && (
      <Suspense>
        <Items anchor={anchor} onClose={() => setAnchor(null)} />
      </Suspense>
    ),
  };
}

/** Switches between the console's languages. */
export const LanguageMenu = () => {
  const { t, i18n } = useTranslation();
  const { open, menu } = useMenu(LanguageItems);
  const short = LANGUAGES.find(({ tag }) => tag === i18n.language)?.short;
  return (
    <>
      <Button
        variant="text"
        aria-label={`${t("shell.language")}: ${short}`}
        aria-haspopup="menu"
        startIcon={<LanguageOutlined />}
        onClick={open}
      >
        {/* On a phone its room is the site's name's. */}
        <Box component="span" sx={{ display: { xs: "none", sm: "inline" } }}>
          {short}
        </Box>
      </Button>
      {menu}
    </>
  );
};

/** Light, dark or the system's theme; stored on this device. */
export const ThemeMenu = () => {
  const { t } = useTranslation();
  const { open, menu } = useMenu(ThemeItems);
  return (
    <>
      <IconButton aria-label={t("shell.theme.label")} aria-haspopup="menu" onClick={open}>
        <ContrastOutlined />
      </IconButton>
      {menu}
    </>
  );
};
