/** A bug that only a retraction shows: a shop keeps a payment that was replaced. */
// #region setup
import { createChain, createManualClock } from 'preseal'
import { chainTransport, preconfActions, preseal } from 'preseal/viem'
import {
  createWalletClient,
  formatEther,
  type Hash,
  parseEther,
  parseGwei,
  publicActions,
} from 'viem'

const clock = createManualClock()
const chain = await createChain({ clock })
const [alice, shop] = chain.accounts.map(({ address }) => address)
const client = createWalletClient({
  account: alice!,
  chain: preseal,
  transport: chainTransport(chain),
})
  .extend(publicActions)
  .extend(preconfActions())
// #endregion setup

// #region bug
/** The shop credits a payment once it is pre-confirmed. */
let credit = 0n
async function accept(hash: Hash): Promise<void> {
  await client.waitForPreconfirmation({ hash })
  credit += (await client.getTransaction({ hash })).value
}
// #endregion bug

// #region mended
/** It follows the payment: the credit goes with the pre-confirmation. */
let followed = 0n
async function follow(hash: Hash): Promise<void> {
  const { value } = await client.getTransaction({ hash })
  client.watchTransactionStatus({
    hash,
    onStatus: ({ stage }) => {
      followed = stage === 'preconfirmed' || stage === 'sealed' ? value : 0n
    },
  })
}
// #endregion mended

// #region test
const report = (when: string) =>
  console.log(
    `${when}: ${formatEther(credit)} and ${formatEther(followed)}`,
  )

const hash = await client.sendTransaction({
  to: shop!,
  value: parseEther('1'),
})
const accepted = accept(hash)
await follow(hash)
await clock.advance(200)
await accepted
report('pre-confirmed') // => pre-confirmed: 1 and 1

// It is withdrawn, and Alice replaces it: same nonce, higher fees.
await chain.retract({ transactions: [hash] })
const fees = {
  maxFeePerGas: parseGwei('50'),
  maxPriorityFeePerGas: parseGwei('10'),
}
const { nonce } = await client.getTransaction({ hash })
await client.sendTransaction({ to: alice!, nonce, ...fees })
await clock.advance(2000)
report('replaced') // => replaced: 1 and 0

const received =
  (await client.getBalance({ address: shop! })) - parseEther('10000')
console.log(`received: ${formatEther(received)}`) // => received: 0
// #endregion test
await chain.close()
