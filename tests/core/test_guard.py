"""The guard on sentences of our own: what it must refuse, and what it must let through."""

from __future__ import annotations

import pytest

from grice.middleware.turns.guard import Guard
from grice.models.dialogue import Dialogue, Speaker
from grice.models.training.rewriter.common_words import AT_LEAST, WordCounts

GUARD = Guard()


def found(turn: str, rewrite: str, *history: str) -> set[tuple[str, str]]:
    """Kind and what of the findings; `history` alternates and ends with the bot."""
    speakers: tuple[Speaker, Speaker] = ("bot", "user")
    earlier = [(speakers[place % 2], text) for place, text in enumerate(reversed(history))]
    findings = GUARD.check(Dialogue.of(turn, reversed(earlier)), rewrite)
    return {(finding.kind, finding.what) for finding in findings}


@pytest.mark.parametrize(
    ("turn", "rewrite"),
    [
        ("There will be two of us.", "Book it for 2 people."),
        ("We are a party of 7.", "Book a table for seven."),
        ("twenty-five of us are coming", "Book for 25 people."),
        ("My train has to be there by 12:15.", "I need a train arriving by quarter past 12."),
        ("Somewhere around half past six would be lovely.", "Book it for 6:30."),
        ("ten to six would suit me", "Book it for 5:50."),
        ("I like to eat at 5pm.", "Book it for 17:00."),
        ("I like to eat at 5 p.m.", "Book it for 5pm."),
        ("By 9.15 I have to be at work.", "I need to arrive by 9:15."),
        ("I get hungry at noon.", "Book a table for 12:00."),
        ("I have to be there by 3.", "I need to arrive by 3:00."),
        ("3 o'clock is when I get off.", "I need a taxi at 3:00."),
        ("I have £20 left.", "Find a ticket for 20 pounds."),
        ("My limit is 20 GBP.", "Find something for £20."),
        ("I'd pay 1,200 dollars for that.", "Find one for $1200."),
        ("Tue is good for me.", "Book it for Tuesday."),
        ("I love Tuesdays.", "Book it for Tuesday."),
        ("The 3rd of March is my birthday.", "Book it for March 3."),
        ("I fancy a four-star place.", "Find a 4 star hotel."),
        ("TR 4376 sounds right", "Book TR4376."),
        ("The postcode was CB1 9XY I think", "Is the postcode cb19xy?"),
        ("My number is 01234 567890.", "Call 01234567890."),
        ("One room would do.", "Book a room."),
        ("I want to stay a night.", "Book it for one night."),
        ("I don't have much money.", "Find a cheap one."),
        ("I could do with something a bit nicer than cheap.", "Find an expensive one."),
        ("Nothing too expensive, please.", "Find a cheap one."),
        ("Somewhere in the middle of town would be handy.", "Find one in the centre."),
        ("I always liked Zanzibarra.", "Book a table at Zanzibarra."),
        ("The guest house is fine.", "Book the guesthouse."),
        ("I love the theatre.", "Find a theater."),
        ("I don't mind where it is.", "Any area is fine."),
        ("No thanks, I have what I came for.", "That is all I need."),
        ("I don't think I need anything else.", "That is all I need."),
        ("Why don't you book it?", "Please book it."),
        ("Can't you find a hotel?", "Find a hotel."),
        ("I don't want to pay for parking.", "I need free parking."),
        ("I can book it myself later.", "No, don't book it."),
        ("I haven't had a good curry in a while.", "Find a curry restaurant."),
        ("I'd be lost without wifi.", "I need wifi."),
        ("I don't care for anything but an expensive place.", "Find an expensive place."),
        ("I wouldn't mind the north.", "Find one in the north."),
        ("Not the pool but the museum, if I may.", "Tell me about the museum."),
        ("That should do for today, thank you.", "That is all, thank you."),
        ("Good morning! Is there a pool?", "Is there a swimming pool?"),
        ("I may need a taxi one day.", "Can I get a taxi?"),
        ("My hat is on; off we march.", "Can we leave now?"),
        ("No one will come along.", "Nobody else will come."),
        ("Is there one of them with a garden?", "Does one of them have a garden?"),
    ],
)
def test_supported(turn: str, rewrite: str) -> None:
    assert found(turn, rewrite) == set()


@pytest.mark.parametrize(
    ("turn", "rewrite", "what"),
    [
        ("My family is coming along.", "Book it for 4 people.", "number"),
        ("My family is coming along.", "Book it for four people.", "number"),
        ("6 other people will travel with me.", "Book it for 7 people.", "number"),
        ("6 other people will travel with me.", "Book it for 6 people.", "number"),
        ("It is me again.", "Book it for 1 person.", "number"),
        ("I want one that is cheap.", "Book it for one person.", "number"),
        ("A few of us will stay some nights.", "We will stay 3 nights.", "number"),
        ("Two people, and we stay five nights.", "Five people for two nights.", "number"),
        ("A good hotel is what I like.", "Find a 4 star hotel.", "number"),
        ("A good hotel is what I like.", "Find a four-star hotel.", "number"),
        ("That train there.", "Book the second train.", "number"),
        ("Can I ring them?", "Call 01234567890.", "number"),
        ("I work until late.", "Book it after 18:30.", "time"),
        ("I work until 12:15.", "Book it after 12:45.", "time"),
        ("I work until 5:00.", "Book it after 17:00.", "time"),
        ("I work until 5.", "Book it after 5 pm.", "time"),
        ("Lunch would be nice.", "Book it for noon.", "time"),
        ("Table for 3 please.", "Book a table at 3:00.", "time"),
        ("It has to be early.", "I want to leave in the morning.", "time"),
        ("Lunch would be nice.", "Book it for half past one.", "time"),
        ("As soon as the week ends.", "Book it for Friday.", "date"),
        ("Is there a room?", "Is there a room tomorrow?", "date"),
        ("Is there a room?", "Is there a room on Sat?", "date"),
        ("Is there a room in spring?", "Is there a room in March?", "date"),
        ("Is there a room in spring?", "Is there a room on 12/04/2021?", "date"),
        ("Is there a room?", "I need a room today.", "date"),
        ("I have little money.", "Find a ticket for £20.", "price"),
        ("I have 20 left.", "Find a ticket for 20 pounds.", "price"),
        ("I have £20 left.", "Find a ticket for $20.", "price"),
        ("I like my food cheap.", "Find an expensive restaurant.", "price"),
        ("I want the north.", "Find one in the south.", "name"),
        ("Where can I eat?", "Find a restaurant in the centre.", "name"),
        ("Where can I eat?", "Book a table at zanzibarra.", "name"),
        ("Where can I eat?", "Zanzibarra, please.", "name"),
        ("Where can I eat?", "Book a table at The Bridge.", "name"),
        ("Where can I eat?", "Find an italian restaurant.", "name"),
        ("Where can I eat?", "Find a middle eastern restaurant.", "name"),
        ("I am off to London.", "Find a train to norwich.", "name"),
        ("I am off to Zanzibarra.", "Find a train to zanzibara.", "name"),
        ("That train.", "Book TR4376.", "name"),
        ("TR4376 then.", "Book TR4377.", "name"),
        ("That sign looks good.", 'Find a place with "open late" on it.', "quoted"),
    ],
)
def test_added(turn: str, rewrite: str, what: str) -> None:
    assert ("added", what) in found(turn, rewrite)


@pytest.mark.parametrize(
    ("turn", "rewrite", "what"),
    [
        ("I will bring 5 people.", "I will bring people.", "number"),
        ("Two nights and three people.", "Book it for three people.", "number"),
        ("I have to be there by 12:15.", "I need a train.", "time"),
        ("In the morning would be good.", "I need a train.", "time"),
        ("On Tuesday I am free.", "I need a train.", "date"),
        ("I am free tomorrow.", "I need a train.", "date"),
        ("I can pay £20 for it.", "Find one.", "price"),
        ("It should be cheap.", "Find one.", "price"),
        ("The north would be good.", "Find one.", "name"),
        ("I am off to Zanzibarra.", "I need a train.", "name"),
        ("I am off to zanzibarra.", "I need a train.", "name"),
        ("zanzibarra food is what I dream of", "Find a restaurant.", "name"),
        ("I was told to see the Lost Star.", "Find a museum.", "name"),
        ("TR4376 is the one for me.", "Book the train.", "name"),
        ('There was "open late" on the sign.', "Find that place.", "quoted"),
    ],
)
def test_dropped(turn: str, rewrite: str, what: str) -> None:
    assert ("dropped", what) in found(turn, rewrite)


@pytest.mark.parametrize(
    ("turn", "rewrite"),
    [
        ("I need parking.", "I don't need parking."),
        ("A place to park my car would be good.", "I do not need parking."),
        ("No parking needed.", "I need parking."),
        ("Parking is not needed.", "I need parking."),
        ("Don't book it yet.", "Book it."),
        ("Please do not make a reservation.", "Please book a table."),
        ("Could you make a reservation?", "Please don't book a table."),
        ("Could you reserve it?", "No need to book it."),
        ("I want wifi and parking.", "I want wifi and no parking."),
        ("I want wifi but no parking.", "I want wifi and parking."),
        ("Hotels without wifi are for me.", "Find a hotel with wifi."),
        ("I 'd like a taxi .", "I do n't need a taxi ."),
        ("It is time my bags saw a room.", "I don't need a hotel."),
        ("Nothing too expensive, please.", "Find an expensive one."),
        ("I don't want to go to the north.", "Find one in the north."),
        ("The north is where I feel at home.", "Find one that is not in the north."),
    ],
)
def test_negation_flipped(turn: str, rewrite: str) -> None:
    assert ("negation", "negation") in found(turn, rewrite)


def test_history_supports() -> None:
    history = ("Curry Zanzibarra is at 12 Mill Lane , open from 17:30 on Friday . Shall I book it for 4 ?",)
    assert found("That sounds good.", "Book Curry Zanzibarra at 17:30 on Friday for 4 people.", *history) == set()
    assert found("That sounds good.", "Book Curry Zanzibarra at 17:30 on Friday for 5 people.", *history) == {("added", "number")}


def test_areas_come_from_the_turn_before_the_history() -> None:
    history = ("I have some in the north and some in the south.",)
    assert found("The first ones.", "The ones in the north, the first ones.", *history) == set()
    assert ("added", "name") in found("I like the south.", "Find one in the north and south.", *history)


def test_a_town_is_not_brought_into_a_talk_about_something_else() -> None:
    boiler = Dialogue.of("It drips again, and my neighbour below has called me.", [("bot", "Is it the boiler?")])
    findings = GUARD.check(boiler, "I need a train, and a hotel with free parking.")
    assert [(each.kind, each.what, each.value) for each in findings] == [
        ("added", "topic", "train"),
        ("added", "topic", "hotel"),
        ("added", "topic", "parking"),
    ]
    assert not GUARD.check(boiler, "I need somebody to see to it.")
    trip = Dialogue.of("My feet hurt.", [("bot", "Your restaurant is booked.")])
    assert not GUARD.check(trip, "I need a taxi.")


def test_names_are_not_put_together_anew() -> None:
    history = ("I have Zanzibarra Lodge and the Hotel Quirinelle.",)
    assert found("What a choice!", "Book Zanzibarra Lodge.", *history) == set()
    assert found("What a choice!", "Book Quirinelle Lodge.", *history) == {("added", "name")}


def test_finding_says_what_is_written() -> None:
    (finding,) = GUARD.check(Dialogue.of("I work until late."), "Book it after 18:30.")
    assert (finding.kind, finding.what, finding.value) == ("added", "time", "18:30")


@pytest.mark.parametrize(
    "text",
    [
        "...",
        "12:99",
        "£",
        '"',
        "no",
        "and not",
        "half past",
        "1" * 5000,
        "a b " * 2000,
        "1" * 5000 + "th",
        "naïve café ’s ´",
        "٣ 十",
    ],
)
def test_odd_text_is_compared_without_failing(text: str) -> None:
    assert GUARD.check(Dialogue.of(text), text) == ()
    GUARD.check(Dialogue.of("Hello there."), text)
    GUARD.check(Dialogue.of(text, [("bot", text)]), "Hello there.")


def test_common_words_are_small_letters_and_rarely_names() -> None:
    counts = WordCounts()
    for _ in range(AT_LEAST):
        counts.add([("I like the old mill", []), ("Try Zanzibarra Mill, the mill at zanzibarra.", ["zanzibarra mill"])])
        counts.add([("Is there a lodge", []), ("see the lodge, a lodge", ["lodge"])], kinds=["Lodge"])
        counts.add([("See quirinelle, it is in quirinelle", ["quirinelle"])])
    common = set(counts.common())
    assert {"like", "old", "lodge", "there"} <= common
    assert common.isdisjoint({"zanzibarra", "mill", "quirinelle"})


@pytest.mark.parametrize(
    ("turn", "rewrite"),
    [
        ("Not before 9:00.", "I need to leave by 9:00."),
        ("Nothing before nine, please.", "I want to arrive by 9."),
        ("I can't leave until 6.", "I need to leave before 6."),
        ("It has to be after 5pm.", "I need it before 17:00."),
        ("No later than half past two.", "I need to arrive after 2:30."),
        ("My train has to be there by 12:15.", "I need a train leaving after 12:15."),
    ],
)
def test_a_time_keeps_its_side(turn: str, rewrite: str) -> None:
    assert ("negation", "time") in found(turn, rewrite)


@pytest.mark.parametrize(
    ("turn", "rewrite"),
    [
        ("Not before 9:00.", "I need to leave after 9:00."),
        ("I can't leave until 6.", "I want to leave after 6."),
        ("I need to be there before 5pm.", "I need to arrive by 17:00."),
        ("From 9 on I am free, but not after 12.", "I want something between 9 and 12."),
        ("Around 5 suits me.", "Book it for 5."),
        ("Before 5 would be fine.", "I need to arrive before 5."),
    ],
)
def test_a_time_on_the_same_side(turn: str, rewrite: str) -> None:
    assert found(turn, rewrite) == set()


@pytest.mark.parametrize(
    ("turn", "rewrite"),
    [
        ("Hold on, I should ask my husband first.", "Yes, I need to book it for my wife."),
        ("I'm not quite sure about that one.", "Please book it."),
        ("Let me think about it.", "Yes, go ahead."),
        ("I'd have to talk to my boss first.", "Book it for me."),
        ("Only if there is parking.", "Yes, please."),
        ("Unless it rains, why not.", "Book it, please."),
        ("That depends on the price.", "Yes, I want it."),
        ("I'd rather hear what my wife says.", "Yes, book it."),
        ("Let me see what the others think.", "Book it."),
        ("I'd better run it by my manager.", "Yes, go ahead."),
        ("That is really up to my brother.", "Yes, please."),
        ("We will have to talk it over.", "Yes, please book it."),
        ("I need to speak with my team.", "Book it for my team."),
        ("My boss has the final say.", "Yes, book it."),
    ],
)
def test_hesitation_and_conditions_are_no_yes(turn: str, rewrite: str) -> None:
    assert ("added", "agreement") in found(turn, rewrite)


@pytest.mark.parametrize(
    ("turn", "rewrite"),
    [
        ("Hold on, I should ask my husband first.", "I am not sure yet, I need to ask my husband."),
        ("Only if there is parking.", "Yes, if there is parking."),
        ("I was wondering if you could take care of that.", "Please book it."),
        ("Could you see if it has wifi?", "I need wifi. Book it if it has that."),
        ("That would make my day.", "Yes, please."),
        ("I guess so.", "Yes, please."),
        ("My wife says it is lovely.", "Yes, book it."),
        ("It is up to you.", "Book it, please."),
        ("I'd rather see what you think is best.", "Yes, please."),
        ("I would rather have it today.", "Yes, book it for today."),
        ("I'd rather hear what my wife says.", "Yes, but I want to ask my wife first."),
    ],
)
def test_what_is_a_yes_or_stays_in_doubt(turn: str, rewrite: str) -> None:
    assert ("added", "agreement") not in found(turn, rewrite)


def test_a_mere_reply_hints_at_no_price() -> None:
    assert found("I guess so.", "I want it to be expensive.") == {("added", "price")}
    assert found("I guess so, payday was yesterday.", "I want it to be expensive. It was payday yesterday.") == set()


@pytest.mark.parametrize(
    ("turn", "rewrite"),
    [
        ("It's for my mother-in-law.", "I need it for my mother."),
        ("My in-laws are coming.", "They are coming."),
        ("I am starving tonight.", "I need a restaurant for today."),
        ("Tonight my stomach is empty.", "I need a restaurant."),
        ("I am travelling alone.", "Book it for one person."),
        ("Just me.", "Book it for 1 person."),
        ("My wife and I.", "Book it for two people."),
    ],
)
def test_what_needs_no_saying(turn: str, rewrite: str) -> None:
    assert found(turn, rewrite) == set()


def test_who_comes_is_still_counted() -> None:
    assert ("added", "number") in found("My husband has to work that day, Sunday is better.", "Book it for one person on Sunday.")
    assert ("added", "number") in found("I am travelling alone.", "Book it for two people.")
    assert ("added", "date") in found("I am starving.", "I need a restaurant for tonight.")


@pytest.mark.parametrize(
    ("turn", "rewrite", "what"),
    [
        ("At 5 there are 3 of us.", "Book at 3 for 5 people.", "number"),
        ("At five there will be three of us.", "Book it for 5 at 3.", "number"),
        ("My room is 12 on floor 3.", "I am in room 3 on floor 12.", "number"),
        ("It is gate 4 at platform 9.", "I am at gate 9, platform 4.", "number"),
        ("2 pizzas and 3 colas would be nice.", "I want 3 pizzas and 2 colas.", "number"),
        ("Change the 3 to 5.", "Please change the 5 to 3.", "number"),
        ("I come from Cambridge and want to get to London.", "I need a train to Cambridge from London.", "name"),
        ("I'm leaving Ely, off to the airport.", "I need a taxi from the airport to Ely.", "name"),
    ],
)
def test_numbers_and_places_do_not_exchange_their_parts(turn: str, rewrite: str, what: str) -> None:
    assert ("negation", what) in found(turn, rewrite)


@pytest.mark.parametrize(
    ("turn", "rewrite"),
    [
        ("At 5 there are 3 of us.", "Book for 3 people at 5."),
        ("We are 3 and get hungry at 5.", "Book at 5 for 3 people."),
        ("Room 12, floor 3.", "I am on floor 3 in room 12."),
        ("Not before 5 and not after 8.", "I want it after 5 and before 8."),
        ("From Cambridge, and the way goes to London.", "I need a train to London from Cambridge."),
        ("You have it from London to Cambridge, that is the wrong way.", "I need a train from Cambridge to London."),
        ("I do not want 3 people at 5 but 5 people at 3.", "I want 5 people at 3."),
        ("2 adults 3 children", "I want tickets for 3 children and 2 adults."),
        ("The clock goes from 9 to 5 and then to 9.", "I work from 9 to 5."),
    ],
)
def test_numbers_and_places_that_keep_their_parts(turn: str, rewrite: str) -> None:
    assert not {each for each in found(turn, rewrite) if each[0] == "negation"}
