import Box from "@mui/material/Box";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { usePaused } from "../../../../lib/use-paused.ts";
import { type CallUrlForm, callUrl } from "../../channel-queries.ts";

/** The URL that calls go to with the form's values, once typing pauses; nothing until there is one. */
export const CallUrl = ({ form }: { form: CallUrlForm }) => {
  const { t } = useTranslation();
  const paused = { base_url: usePaused(form.base_url), other: usePaused(form.other), key: usePaused(form.key) };
  const url = useQuery(callUrl({ ...form, ...paused })).data;
  if (!url) return null;
  return (
    <Box sx={{ mt: 1, overflowWrap: "anywhere" }}>
      {t("channels.form.callUrl")}{" "}
      <Box component="span" className="mono" sx={{ color: "text.secondary" }}>
        {url}
      </Box>
    </Box>
  );
};
