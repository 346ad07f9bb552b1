/** Playwright's configuration: it starts both apps, and opens them in Chromium. */
import { defineConfig } from '@playwright/test'

export default defineConfig({
  testMatch: '*.spec.ts',
  // Each test has its own chain, so that they can run at the same time.
  fullyParallel: true,
  use: {
    browserName: 'chromium',
    // An installed Chromium; by default the one of `npx playwright install chromium`.
    launchOptions: process.env['CHROMIUM'] ? { executablePath: process.env['CHROMIUM'] } : {},
  },
  webServer: [
    { command: 'npx vite wagmi --port 5173 --strictPort', url: 'http://localhost:5173' },
    { command: 'npx vite ethers --port 5174 --strictPort', url: 'http://localhost:5174' },
  ],
})
