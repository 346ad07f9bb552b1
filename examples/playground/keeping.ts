/** Whether the chain is kept across reloads: in IndexedDB, by the name of its database. */
import { find } from './dom.ts'

const KEY = 'keep'
const NAME = 'preseal playground'

/** The database of the chain; undefined if it is not kept. */
export const database = localStorage.getItem(KEY) === null ? undefined : NAME

/**
 * Enables the switch, and the button that deletes a kept chain. Both load the page again.
 *
 * @param close - closes the chain, after which its database can be deleted.
 * @param onError - called if that fails.
 */
export async function startKeeping(
  close: () => Promise<void>,
  onError: (error: unknown) => void,
): Promise<void> {
  const keep = find('#keep', HTMLInputElement)
  const forget = find('#forget', HTMLButtonElement)
  const restart = (change: () => Promise<void> | void) => async () => {
    keep.disabled = true
    forget.disabled = true
    try {
      await close()
      await change()
      location.reload()
    } catch (error) {
      onError(error)
    }
  }
  keep.checked = database !== undefined
  keep.addEventListener(
    'change',
    restart(() => {
      if (keep.checked) localStorage.setItem(KEY, '')
      else localStorage.removeItem(KEY)
    }),
  )
  forget.addEventListener('click', restart(deleteDatabase))
  const databases = await indexedDB.databases()
  forget.disabled = !databases.some(({ name }) => name === NAME)
  keep.disabled = false
}

function deleteDatabase(): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(NAME)
    request.onsuccess = () => resolve()
    request.onerror = () => reject(request.error)
    request.onblocked = () =>
      reject(new Error('The kept chain is in use: close the other tabs of this page.'))
  })
}
