import Box from "@mui/material/Box";
import Dialog from "@mui/material/Dialog";
import DialogContent from "@mui/material/DialogContent";
import DialogTitle from "@mui/material/DialogTitle";
import FormControlLabel from "@mui/material/FormControlLabel";
import Switch from "@mui/material/Switch";
import { useAtom, useSetAtom } from "jotai";
import { Fragment, useId } from "react";
import { useTranslation } from "react-i18next";
import { shortcutHelpAtom, singleKeysAtom } from "../../../state/shortcuts.ts";
import { PALETTE_KEYS } from "./nav.ts";

const KEYS = [
  [PALETTE_KEYS, "palette"],
  ["/", "search"],
  ["J  K", "move"],
  ["Home  End", "ends"],
  ["Enter", "open"],
  ["X", "tick"],
  [PALETTE_KEYS.replace("K", "Enter"), "submit"],
  ["Esc", "close"],
  ["?", "help"],
] as const;

/** The keyboard shortcuts, and whether keys alone are any. */
export const KeyboardHelp = () => {
  const { t } = useTranslation();
  const titleId = useId();
  const setOpen = useSetAtom(shortcutHelpAtom);
  const [hasSingleKeys, setSingleKeys] = useAtom(singleKeysAtom);
  return (
    <Dialog open onClose={() => setOpen(false)} aria-labelledby={titleId}>
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
        <FormControlLabel
          sx={{ mt: 4, ml: 0, gap: 2 }}
          control={<Switch checked={hasSingleKeys} onChange={(event) => setSingleKeys(event.target.checked)} />}
          label={t("shell.keyboard.single")}
        />
      </DialogContent>
    </Dialog>
  );
};
