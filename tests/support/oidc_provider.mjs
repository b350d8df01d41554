// An OpenID provider on this computer: short tokens, rotating refresh tokens, PKCE required, device flow.
// Prints one JSON line for each grant. Called with its port.
import Provider from 'oidc-provider';

const port = Number(process.argv[2]);
const issuer = `http://127.0.0.1:${port}`;
const shared = {
  grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
  response_types: ['code'],
  redirect_uris: ['http://127.0.0.1/oauth/callback'],
  application_type: 'native',
};
const provider = new Provider(issuer, {
  clients: [
    { client_id: 'desktop', token_endpoint_auth_method: 'none', ...shared },
    { client_id: 'posting', client_secret: 'posted-secret-1', token_endpoint_auth_method: 'client_secret_post', ...shared },
    { client_id: 'basic', client_secret: 'basic-secret-1', token_endpoint_auth_method: 'client_secret_basic', ...shared },
  ],
  clockTolerance: 0,
  pkce: { required: () => true },
  rotateRefreshToken: true,
  scopes: ['openid', 'email', 'offline_access'],
  claims: { openid: ['sub'], email: ['email'] },
  ttl: { AccessToken: 300, RefreshToken: 3600, AuthorizationCode: 60, DeviceCode: 60 },
  features: {
    devInteractions: { enabled: true },
    deviceFlow: { enabled: true },
    revocation: { enabled: true },
    introspection: { enabled: true },
  },
  cookies: { keys: ['for tests only'] },
  findAccount: (ctx, id) => ({ accountId: id, claims: () => ({ sub: id, email: `${id}@example.com` }) }),
});
const tell = (kind) => (ctx, error) => {
  const params = ctx.oidc?.params ?? {};
  console.log(JSON.stringify({ kind, grant: params.grant_type, error: error?.error }));
};
provider.on('grant.success', tell('granted'));
provider.on('grant.error', tell('refused'));
provider.listen(port, '127.0.0.1', () => console.log(JSON.stringify({ kind: 'ready' })));
