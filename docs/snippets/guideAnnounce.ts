/** Wallets of a page: announces a provider (EIP-6963), and withdraws it. */
import { announceProvider, createChain } from 'preseal'

// In Node an event target stands in for a page's window.
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
