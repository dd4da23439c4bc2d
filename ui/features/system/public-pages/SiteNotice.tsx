import Alert from "@mui/material/Alert";
import { useQuery } from "@tanstack/react-query";
import { useAtom } from "jotai";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { siteText } from "../../../components/site/SiteText.tsx";
import { storedAtom } from "../../../state/stored-atom.ts";

const Prose = lazy(async () => ({ default: (await import("../../../components/site/Prose.tsx")).Prose }));

/** The notice dismissed on this device; a new notice is shown again. */
const closedAtom = storedAtom<string | null>("notice", { parse: (text) => text, print: String });

/** The administrator's notice, until dismissed; `isBare` on pages without margins. */
const SiteNotice = ({ isBare = false }: { isBare?: boolean }) => {
  const { t } = useTranslation();
  const { data: text = "" } = useQuery(siteText("notice"));
  const [closed, setClosed] = useAtom(closedAtom);
  if (text === "" || text === closed) return null;
  return (
    <Suspense>
      <Alert
        severity="info"
        role="region"
        aria-label={t("shell.notice")}
        closeText={t("components.close")}
        onClose={() => setClosed(text)}
        sx={{
          ...(isBare ? { mx: { xs: 4, sm: 6 }, mt: 4 } : { mb: 4 }),
          "& .MuiAlert-message": { flex: 1, minWidth: 0 },
          "& .MuiAlert-message > div > :last-child": { mb: 0 },
        }}
      >
        <Prose text={text} />
      </Alert>
    </Suspense>
  );
};

export default SiteNotice;
