import Apple from "@mui/icons-material/Apple";
import Building from "@mui/icons-material/BusinessOutlined";
import GitHub from "@mui/icons-material/GitHub";
import Google from "@mui/icons-material/Google";
import Key from "@mui/icons-material/KeyOutlined";
import Microsoft from "@mui/icons-material/Microsoft";
import Shield from "@mui/icons-material/ShieldOutlined";
import type SvgIcon from "@mui/material/SvgIcon";
import type { SsoIcon } from "../../../../src/domain/accounts/identity/sso-rules.ts";

const ICONS: Readonly<Record<SsoIcon, typeof SvgIcon>> = {
  "": Key,
  google: Google,
  microsoft: Microsoft,
  github: GitHub,
  apple: Apple,
  building: Building,
  shield: Shield,
};

/** The icon that was chosen for an identity provider. */
export const ProviderIcon = ({ icon }: Readonly<{ icon: SsoIcon }>) => {
  const Icon = ICONS[icon];
  return <Icon fontSize="small" />;
};
