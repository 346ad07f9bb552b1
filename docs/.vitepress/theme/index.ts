/** The theme: VitePress's own, with the colours of the playground and live code. */
import type { Theme } from 'vitepress'
import DefaultTheme from 'vitepress/theme-without-fonts'
import LiveCode from '../live/LiveCode.vue'
import BlockTimeline from './BlockTimeline.vue'
import PlaygroundFrame from './PlaygroundFrame.vue'
import SiteLayout from './SiteLayout.vue'
import './style.css'

export default {
  extends: DefaultTheme,
  Layout: SiteLayout,
  enhanceApp({ app }) {
    for (const [name, component] of Object.entries({ BlockTimeline, LiveCode, PlaygroundFrame })) {
      app.component(name, component)
    }
  },
} satisfies Theme
