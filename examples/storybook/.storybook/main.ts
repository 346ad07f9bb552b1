/** Storybook's configuration: stories of React, built by Vite. */
import type { StorybookConfig } from '@storybook/react-vite'

const config: StorybookConfig = {
  framework: '@storybook/react-vite',
  stories: ['../*.stories.tsx'],
  core: { disableTelemetry: true },
}

export default config
