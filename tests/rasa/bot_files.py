"""A very small bot: it asks for a price range and a number of people, and offers a table."""

DOMAIN = """
version: "3.1"
intents: [find_food, inform, greet, bye]
entities: [price, people, area]
slots:
  price: {type: text, influence_conversation: true, mappings: [{type: from_entity, entity: price}]}
  people: {type: text, influence_conversation: true, mappings: [{type: from_entity, entity: people}]}
  area: {type: text, influence_conversation: false, mappings: [{type: from_entity, entity: area}]}
forms:
  table_form: {required_slots: [price, people]}
responses:
  utter_ask_price: [{text: "What price range would you like?"}]
  utter_ask_people: [{text: "How many people will come?"}]
  utter_offer: [{text: "A table for {people}, {price}."}]
  utter_greet: [{text: "Hello, I can find you a place to eat."}]
  utter_bye: [{text: "Good bye."}]
session_config: {session_expiration_time: 60, carry_over_slots_to_new_session: true}
"""

NLU = """
version: "3.1"
nlu:
- intent: find_food
  examples: |
    - I am looking for a place to eat
    - find me a restaurant
    - I want to eat something
    - I need a place to eat in the [centre](area)
- intent: inform
  examples: |
    - [cheap](price) please
    - I need a [cheap](price) place
    - something [expensive](price)
    - for [two](people) people
    - we are [5](people)
    - Please find me something in the [north](area)
- intent: greet
  examples: |
    - hello
    - hi there
    - good morning
- intent: bye
  examples: |
    - bye
    - good bye
    - see you later
- synonym: cheap
  examples: |
    - inexpensive
    - affordable
- lookup: price
  examples: |
    - cheap
    - moderate
    - expensive
    - inexpensive
    - affordable
- lookup: people
  examples: |
    - two
    - three
    - four
    - five
    - 2
    - 3
    - 4
    - 5
- lookup: area
  examples: |
    - centre
    - north
    - south
"""

RULES = """
version: "3.1"
rules:
- rule: greet
  steps:
  - intent: greet
  - action: utter_greet
- rule: bye
  steps:
  - intent: bye
  - action: utter_bye
- rule: begin
  steps:
  - intent: find_food
  - action: table_form
  - active_loop: table_form
- rule: end
  condition:
  - active_loop: table_form
  steps:
  - action: table_form
  - active_loop: null
  - action: utter_offer
"""
