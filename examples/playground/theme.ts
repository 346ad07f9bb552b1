/** Light or dark: the system's preference, until it is switched here. */
import { find, setText } from './dom.ts'

const KEY = 'theme'
const dark = matchMedia('(prefers-color-scheme: dark)')

/** Applies the choice of an earlier visit, and enables the button that changes it. */
export function startTheme(): void {
  const button = find('#theme', HTMLButtonElement)
  let choice = localStorage.getItem(KEY)
  const apply = (): void => {
    if ('framed' in document.documentElement.dataset) return
    if (choice !== null) document.documentElement.dataset['theme'] = choice
    setText(button, isDark() ? 'Light' : 'Dark')
    button.ariaLabel = isDark() ? 'Light colours' : 'Dark colours'
  }
  const isDark = (): boolean => (choice === null ? dark.matches : choice === 'dark')
  button.addEventListener('click', () => {
    choice = isDark() ? 'light' : 'dark'
    localStorage.setItem(KEY, choice)
    apply()
  })
  dark.addEventListener('change', apply)
  apply()
}
