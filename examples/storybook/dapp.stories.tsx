/** One story for each stage of a transfer. Each has its own chain in the page, which makes blocks on request only. */
import type { Meta, StoryObj } from '@storybook/react-vite'
import { createChain, type PresealChain } from 'preseal'
import { chainTransport, preseal } from 'preseal/viem'
import { type EIP1193Provider, UserRejectedRequestError } from 'viem'
import { type Config, createConfig, injected } from 'wagmi'
import { App } from '../playwright/wagmi/app.tsx'

interface Scene {
  readonly chain: PresealChain
  readonly config: Config
}

/** A chain, and the dapp's configuration with it as wallet and node. */
async function createScene(walletOf = ({ live }: PresealChain): EIP1193Provider => live): Promise<Scene> {
  const chain = await createChain({ mining: 'manual' })
  const config = createConfig({
    chains: [preseal],
    connectors: [injected({ target: { id: 'preseal', name: 'preseal', provider: walletOf(chain) } })],
    transports: { [preseal.id]: chainTransport(chain) },
    storage: null,
  })
  return { chain, config }
}

/** A wallet whose user rejects transactions. */
function rejectSends({ live }: PresealChain): EIP1193Provider {
  const wallet: EIP1193Provider = live
  const request = (args: { readonly method: string }) =>
    args.method === 'eth_sendTransaction'
      ? Promise.reject(new UserRejectedRequestError(new Error('rejected')))
      : wallet.request(args as never)
  return {
    request,
    on: wallet.on.bind(wallet),
    removeListener: wallet.removeListener.bind(wallet),
  } as EIP1193Provider
}

const sceneOf = ({ loaded }: { readonly loaded: unknown }) => loaded as Scene

const meta: Meta = {
  title: 'Transfer',
  loaders: [({ parameters }) => createScene(parameters['walletOf'])],
  // The returned function runs when the story is left.
  beforeEach: (context) => () => sceneOf(context).chain.close(),
  render: (_, context) => <App config={sceneOf(context).config} />,
}

export default meta

type Story = StoryObj
type Context = Parameters<NonNullable<Story['play']>>[0]

/** Clicks the button. @returns the chain, and a function that waits for a text. */
async function send(context: Context) {
  const { canvas, userEvent } = context
  await userEvent.click(await canvas.findByRole('button', { name: 'Send 1 ETH' }))
  const waitFor = (text: string) => canvas.findByText(text, {}, { timeout: 10_000 })
  return { chain: sceneOf(context).chain, waitFor }
}

/** In a preconf block. */
export const Preconfirmed: Story = {
  async play(context) {
    const { chain, waitFor } = await send(context)
    await waitFor('success')
    await chain.tick()
    await waitFor('Pre-confirmed: 10001')
    await waitFor('Sealed: 10000')
  },
}

/** In a sealed block. */
export const Sealed: Story = {
  async play(context) {
    const { chain, waitFor } = await send(context)
    await waitFor('success')
    await chain.seal()
    await waitFor('Sealed: 10001')
    await waitFor('Receipt: in block 1')
  },
}

/** In a preconf block that is retracted: the transaction waits again. */
export const Retracted: Story = {
  async play(context) {
    const { chain, waitFor } = await send(context)
    await waitFor('success')
    await chain.tick()
    await waitFor('Pre-confirmed: 10001')
    await chain.retract({ snapshots: 1 })
    await waitFor('Pre-confirmed: 10000')
  },
}

/** Rejected by the user of the wallet. */
export const Rejected: Story = {
  parameters: { walletOf: rejectSends },
  async play(context) {
    const { waitFor } = await send(context)
    await waitFor('User rejected the request.')
  },
}
