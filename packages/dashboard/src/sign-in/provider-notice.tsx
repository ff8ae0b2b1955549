import { ProviderNotice } from "../session/identity-provider.tsx";

export default ProviderNotice;
