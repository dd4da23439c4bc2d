import Box from "@mui/material/Box";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { listenForPreview, sendDraft } from "../../../components/site/brand-preview.ts";
import { sitePath } from "../../../lib/base-path.ts";
import { useSettings } from "../settings-store.tsx";

/** The home page as it would look with the values of the form, also before they are saved. */
export const BrandPreview = () => {
  const { t } = useTranslation();
  const { textOf } = useSettings();
  const frame = useRef<HTMLIFrameElement>(null);
  const draft = {
    name: textOf("SystemName"),
    logo: textOf("Logo"),
    title: textOf("HomeTitle"),
    lead: textOf("HomeLead"),
    color: textOf("BrandColor").trim(),
    css: textOf("CustomCss"),
  };
  const text = JSON.stringify(draft);
  useEffect(() => {
    const send = () => {
      const target = frame.current?.contentWindow;
      if (target) sendDraft(target, JSON.parse(text));
    };
    send();
    return listenForPreview(send);
  }, [text]);
  return (
    <Box>
      <Box component="h3" sx={{ m: 0, mb: 2, fontSize: 13, fontWeight: 600 }}>
        {t("settings.brand.preview")}
      </Box>
      <Box
        ref={frame}
        component="iframe"
        src={sitePath("/")}
        title={t("settings.brand.preview")}
        sx={{
          width: "100%",
          height: 460,
          display: "block",
          border: "1px solid",
          borderColor: "line.main",
          borderRadius: 1,
        }}
      />
    </Box>
  );
};
