import Box from "@mui/material/Box";
import { useAtomValue } from "jotai";
import { useTranslation } from "react-i18next";
import { BASE_PATH } from "../../lib/base-path.ts";
import { docsAddress, docsOf } from "../../lib/docs/docs-address.ts";
import { siteAtom } from "../../state/site-atom.ts";

/** Leads to what the documentation says of the page that is open, or of the form on it; nothing where it says nothing. */
export const DocsLink = () => {
  const { t, i18n } = useTranslation();
  const site = useAtomValue(siteAtom);
  const page = docsOf(window.location.pathname.slice(BASE_PATH.length));
  const address = page && docsAddress(site?.docs_link, page, i18n.language);
  if (!address) return null;
  const name = t("components.documentation");
  return (
    <Box
      component="a"
      href={address}
      target="_blank"
      title={name}
      aria-label={name}
      sx={{
        ...{ width: 20, height: 20, flex: "none", display: "inline-grid", placeItems: "center", borderRadius: "50%" },
        ...{ border: "1px solid", borderColor: "line.strong", fontSize: 12, lineHeight: 1, textDecoration: "none" },
        ...{ color: "text.tertiary", mx: 1, "&:hover": { color: "text.primary", bgcolor: "surface.hover" } },
      }}
    >
      ?
    </Box>
  );
};
