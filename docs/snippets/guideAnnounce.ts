/** Wallets of a page: a provider is announced (EIP-6963), and withdrawn. */
import { announceProvider, createChain } from 'preseal'

// In Node a page's window is played by an event target.
const page = new EventTarget()
Object.assign(globalThis, { window: page })
page.addEventListener('eip6963:announceProvider', (event) => {
  console.log(
    (event as CustomEvent<{ info: { rdns: string } }>).detail.info.rdns,
  )
})

const chain = await createChain()
// #region announce
const info = { name: 'preseal', rdns: 'localhost.preseal' }
const withdraw = announceProvider(chain.live, { info })
// #endregion announce
// => localhost.preseal
withdraw()
await chain.close()
Reflect.deleteProperty(globalThis, 'window')
