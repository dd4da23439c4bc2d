import Button from "@mui/material/Button";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { readData } from "../../../api/client.ts";
import { discoveryApi } from "../../../api/groups.ts";
import { notifyDone, notifyError } from "../../../components/feedback/notify.tsx";
import { Row } from "../../../components/layout.tsx";
import { useSettings } from "../settings-store.tsx";

/** Fills in the provider's endpoints from its discovery document, which the server fetches. */
export const DiscoveryPanel = () => {
  const { t } = useTranslation();
  const { textOf, change } = useSettings();
  const address = textOf("oidc.well_known").trim();
  const discover = useMutation({
    mutationFn: () => discoverOidc(address),
    onSuccess: (found) => {
      change("oidc.authorization_endpoint", found.authorization_endpoint);
      change("oidc.token_endpoint", found.token_endpoint);
      change("oidc.user_info_endpoint", found.user_info_endpoint);
      notifyDone(t("settings.discovery.done"));
    },
    onError: notifyError,
  });
  const start = () => {
    if (/^https?:\/\//i.test(address)) discover.mutate();
    else notifyError(t("settings.discovery.address"));
  };
  return (
    <Row sx={{ mt: 3 }}>
      <Button onClick={start} loading={discover.isPending} disabled={address === ""}>
        {t("settings.discovery.action")}
      </Button>
    </Row>
  );
};

type OidcEndpoints = { authorization_endpoint: string; token_endpoint: string; user_info_endpoint: string };

const discoverOidc = (wellKnown: string): Promise<OidcEndpoints> =>
  readData(discoveryApi.oidc_discovery.post({ well_known: wellKnown }));

/** A link to the model catalog. */
export const CatalogPanel = () => {
  const { t } = useTranslation();
  return (
    <Row sx={{ mt: 3 }}>
      <Button component={Link} to="/catalog">
        {t("settings.catalog.open")}
      </Button>
    </Row>
  );
};
