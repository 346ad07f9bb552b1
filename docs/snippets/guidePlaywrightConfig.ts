export default {
  use: { launchOptions: { executablePath: '/usr/bin/chromium' } },
}
