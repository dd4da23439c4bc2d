import { useTranslation } from "react-i18next";
import type { SsoType } from "../../../../src/domain/accounts/identity/sso-rules.ts";
import { CopyButton } from "../../../components/display/CopyButton.tsx";
import { KeyValue } from "../../../components/display/KeyValue.tsx";
import { Row } from "../../../components/layout.tsx";
import { siteOrigin } from "../../../lib/base-path.ts";
import { useSite } from "../../../state/site-status.ts";

const LABEL_PX = 132;

type Props = Readonly<{ type: SsoType; id: number }>;

/** The addresses of this gateway to enter at an identity provider. */
export const ProviderAddresses = ({ type, id }: Props) => {
  const { t } = useTranslation();
  const site = useSite()?.server_address || siteOrigin();
  const addresses =
    type === "saml"
      ? ([
          ["entity", `${site}/saml/sso-${id}/metadata`],
          ["acs", `${site}/saml/sso-${id}/acs`],
        ] as const)
      : ([["redirect", `${siteOrigin()}/oauth/sso-${id}`]] as const);
  return (
    <KeyValue
      width={LABEL_PX}
      items={addresses.map(([name, address]) => [
        t(`identityProviders.addresses.${name}`),
        <Row key={name} gap={1}>
          <code style={{ overflowWrap: "anywhere" }}>{address}</code>
          <CopyButton text={address} label={t("identityProviders.copyCallback")} />
        </Row>,
      ])}
    />
  );
};
