import Box from "@mui/material/Box";
import Dialog from "@mui/material/Dialog";
import DialogContent from "@mui/material/DialogContent";
import DialogTitle from "@mui/material/DialogTitle";
import { Fragment, useEffect, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { PALETTE_KEYS } from "./nav.ts";

const KEYS = [
  [PALETTE_KEYS, "palette"],
  ["/", "search"],
  ["J  K", "move"],
  ["Enter", "open"],
  ["X", "tick"],
  ["?", "help"],
] as const;

/** `?` shows the keyboard shortcuts. */
export const KeyboardHelp = () => {
  const { t } = useTranslation();
  const titleId = useId();
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof HTMLElement && event.target.closest("input, textarea");
      if (event.key === "?" && !isTyping) setOpen((was) => !was);
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
  return (
    <Dialog open={isOpen} onClose={() => setOpen(false)} aria-labelledby={titleId}>
      <DialogTitle id={titleId} sx={{ fontSize: 16, fontWeight: 620 }}>
        {t("shell.keyboard.title")}
      </DialogTitle>
      <DialogContent>
        <Box component="dl" sx={{ m: 0, display: "grid", gridTemplateColumns: "auto 1fr", columnGap: 6, rowGap: 2 }}>
          {KEYS.map(([keys, what]) => (
            <Fragment key={what}>
              <dt>
                {keys.split("  ").map((key) => (
                  <kbd key={key} style={{ marginRight: 4 }}>
                    {key}
                  </kbd>
                ))}
              </dt>
              <Box component="dd" sx={{ m: 0 }}>
                {t(`shell.keyboard.${what}`)}
              </Box>
            </Fragment>
          ))}
        </Box>
      </DialogContent>
    </Dialog>
  );
};
