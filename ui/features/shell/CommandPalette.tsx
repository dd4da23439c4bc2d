import Box from "@mui/material/Box";
import Dialog from "@mui/material/Dialog";
import MenuItem from "@mui/material/MenuItem";
import MenuList from "@mui/material/MenuList";
import OutlinedInput from "@mui/material/OutlinedInput";
import { useColorScheme } from "@mui/material/styles";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { switchLanguage } from "../../i18n.ts";
import { useSession } from "../session/session.tsx";
import { isAdmin } from "../session/stored-user.ts";
import { LANGUAGES } from "./LanguageMenu.tsx";
import { NAV } from "./nav.ts";
import { PALETTE_EVENT } from "./palette-event.ts";
import { THEME_MODES } from "./ThemeMenu.tsx";

type Command = Readonly<{ label: string; run: () => void }>;

/** Ctrl-K or ⌘-K: go to a page or do something by typing. */
export const CommandPalette = () => {
  const { user } = useSession();
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const open = () => setOpen(true);
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      setOpen((was) => !was);
    };
    window.addEventListener(PALETTE_EVENT, open);
    window.addEventListener("keydown", onKey);
    return () => {
      window.removeEventListener(PALETTE_EVENT, open);
      window.removeEventListener("keydown", onKey);
    };
  }, []);
  return isOpen && user ? <Palette onClose={() => setOpen(false)} /> : null;
};

const Palette = ({ onClose }: { onClose: () => void }) => {
  const { t } = useTranslation();
  const commands = useCommands();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const matching = commands.filter(({ label }) => label.toLowerCase().includes(text.trim().toLowerCase()));
  const run = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    command.run();
  };
  return (
    <Dialog
      open
      onClose={onClose}
      fullWidth
      maxWidth="sm"
      aria-label={t("shell.palette.open")}
      sx={{ "& .MuiDialog-container": { alignItems: "flex-start", pt: "12vh" } }}
    >
      <OutlinedInput
        autoFocus
        value={text}
        placeholder={t("shell.palette.placeholder")}
        inputProps={{ "aria-label": t("shell.palette.placeholder") }}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter") run(matching[at]);
          else if (event.key === "ArrowDown") setAt(Math.min(at + 1, matching.length - 1));
          else if (event.key === "ArrowUp") setAt(Math.max(at - 1, 0));
          else return;
          event.preventDefault();
        }}
        sx={{ m: 2, minHeight: 40 }}
      />
      <MenuList dense sx={{ pt: 0, maxHeight: "50vh", overflowY: "auto" }}>
        {matching.map((command, index) => (
          <MenuItem key={command.label} selected={index === at} onClick={() => run(command)}>
            {command.label}
          </MenuItem>
        ))}
        {matching.length === 0 && (
          <Box component="li" sx={{ px: 4, py: 2, color: "text.tertiary" }}>
            {t("shell.palette.nothing")}
          </Box>
        )}
      </MenuList>
    </Dialog>
  );
};

function useCommands(): Command[] {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { setMode } = useColorScheme();
  const { user } = useSession();
  const pages = NAV.filter(({ isForAdmins }) => !isForAdmins || isAdmin(user)).flatMap(({ items }) => items);
  return [
    ...pages.map(({ path, label }) => ({
      label: t("shell.palette.goTo", { page: t(`shell.${label}`) }),
      run: () => void navigate({ to: path, search: {} }),
    })),
    ...THEME_MODES.map((mode) => ({
      label: t("shell.palette.theme", { theme: t(`shell.theme.${mode}`) }),
      run: () => setMode(mode),
    })),
    ...LANGUAGES.map(([language, name]) => ({
      label: t("shell.palette.language", { language: name }),
      run: () => void switchLanguage(language),
    })),
  ];
}
