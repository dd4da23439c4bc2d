import Box from "@mui/material/Box";
import ButtonBase from "@mui/material/ButtonBase";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { copyText } from "../../../components/copy-text.ts";
import { ManualCopyDialog } from "../../../components/ManualCopyDialog.tsx";
import { notifyDone } from "../../../components/notify.tsx";

/** A text that a click copies; shown to copy by hand where the browser refuses. */
export const CopyText = ({ text, strong, children }: { text: string; strong?: boolean; children?: ReactNode }) => {
  const { t } = useTranslation();
  const [isRefused, setRefused] = useState(false);
  return (
    <>
      <ButtonBase
        aria-label={t("logs.copyText", { text })}
        title={text}
        onClick={async (event) => {
          event.stopPropagation();
          if (await copyText(text)) notifyDone(t("logs.copied", { text }));
          else setRefused(true);
        }}
        sx={{
          maxWidth: "100%",
          fontSize: "inherit",
          lineHeight: "inherit",
          borderRadius: "4px",
          verticalAlign: "bottom",
          justifyContent: "flex-start",
          fontWeight: strong ? 550 : 400,
          "&:hover": { bgcolor: "tone.idle.tint" },
        }}
      >
        <Box component="span" sx={{ overflow: "hidden", textOverflow: "ellipsis", whiteSpace: "nowrap" }}>
          {text}
        </Box>
        {children}
      </ButtonBase>
      {isRefused && <ManualCopyDialog text={text} onClose={() => setRefused(false)} />}
    </>
  );
};
